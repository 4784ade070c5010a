// Fetches pages again and again when Nutch's AdaptiveFetchSchedule says so, with the settings of nutch-default.xml.
//
//   java Recrawl URLS BANDWIDTH DAY
//
// URLS is a file with a URL a line, BANDWIDTH the number of accesses per second, DAY how many seconds a day takes. It
// ends with its standard input.
//
// The schedule is Nutch's own class; generating and fetching are not. Each second the pages that are due are
// fetched, the longest overdue first, as many as the bandwidth allows. All pages are due at the beginning. Their first
// interval is a day, as that of StormCrawler; the default of Nutch, 30 days, is longer than the test.

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.Text;
import org.apache.nutch.crawl.AdaptiveFetchSchedule;
import org.apache.nutch.crawl.CrawlDatum;
import org.apache.nutch.crawl.FetchSchedule;

public class Recrawl {
    static final int DAY = 86_400; // seconds

    static AdaptiveFetchSchedule schedule() {
        Configuration configuration = new Configuration(false);
        configuration.setInt("db.fetch.interval.default", DAY);
        configuration.setInt("db.fetch.interval.max", 90 * DAY);
        configuration.setFloat("db.fetch.schedule.adaptive.inc_rate", 0.4f);
        configuration.setFloat("db.fetch.schedule.adaptive.dec_rate", 0.2f);
        configuration.setFloat("db.fetch.schedule.adaptive.min_interval", 60);
        configuration.setFloat("db.fetch.schedule.adaptive.max_interval", 365f * DAY);
        configuration.setBoolean("db.fetch.schedule.adaptive.sync_delta", true);
        configuration.setFloat("db.fetch.schedule.adaptive.sync_delta_rate", 0.3f);
        AdaptiveFetchSchedule schedule = new AdaptiveFetchSchedule();
        schedule.setConf(configuration);
        return schedule;
    }

    public static void main(String[] arguments) throws Exception {
        List<String> urls = Files.readAllLines(Path.of(arguments[0]));
        int bandwidth = Integer.parseInt(arguments[1]);
        double day = Double.parseDouble(arguments[2]);
        Thread end = new Thread(() -> {
            try {
                while (System.in.read() >= 0) {}
            } catch (java.io.IOException e) {
                e.printStackTrace();
            }
            System.exit(0);
        });
        end.setDaemon(true);
        end.start();

        AdaptiveFetchSchedule schedule = schedule();
        HttpClient client = HttpClient.newHttpClient();
        Map<String, CrawlDatum> crawlDb = new HashMap<>();
        Map<String, String> contents = new HashMap<>();
        for (String url : urls) crawlDb.put(url, new CrawlDatum(CrawlDatum.STATUS_DB_UNFETCHED, DAY, 1));
        long begin = System.nanoTime();
        for (int second = 0; ; second++) {
            while (System.nanoTime() < begin + second * 1_000_000_000L) Thread.sleep(1);
            long now = time(begin, day);
            List<String> due = urls.stream().filter(url -> schedule.shouldFetch(new Text(url), crawlDb.get(url), now))
                    .sorted((a, b) -> Long.compare(crawlDb.get(a).getFetchTime(), crawlDb.get(b).getFetchTime())).limit(bandwidth).toList();
            for (String url : due) {
                Text key = new Text(url);
                CrawlDatum datum = crawlDb.get(url);
                HttpResponse<String> answer = client.send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
                long fetched = time(begin, day);
                if (answer.statusCode() != 200) {
                    crawlDb.put(url, schedule.setPageRetrySchedule(key, datum, datum.getFetchTime(), datum.getModifiedTime(), fetched));
                    continue;
                }
                String before = contents.put(url, answer.body());
                int state = answer.body().equals(before) ? FetchSchedule.STATUS_NOTMODIFIED
                        : before == null ? FetchSchedule.STATUS_UNKNOWN : FetchSchedule.STATUS_MODIFIED;
                long modified = before == null || state == FetchSchedule.STATUS_MODIFIED ? fetched : datum.getModifiedTime();
                crawlDb.put(url, schedule.setFetchSchedule(key, datum, datum.getFetchTime(), datum.getModifiedTime(), fetched, modified, state));
            }
        }
    }

    // time returns the time of the web in milliseconds since its beginning.
    static long time(long begin, double day) {
        return (long) ((System.nanoTime() - begin) / 1e9 / day * DAY * 1000);
    }
}
