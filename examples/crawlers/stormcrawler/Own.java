// What StormCrawler's AdaptiveScheduler says is due, in place of a frontier.

import com.digitalpebble.stormcrawler.Metadata;
import com.digitalpebble.stormcrawler.persistence.AbstractQueryingSpout;
import com.digitalpebble.stormcrawler.persistence.AbstractStatusUpdaterBolt;
import com.digitalpebble.stormcrawler.persistence.AdaptiveScheduler;
import com.digitalpebble.stormcrawler.persistence.Status;
import java.util.Date;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.PriorityBlockingQueue;
import org.apache.storm.tuple.Tuple;

public class Own {
    record Scheduled(Date next, String url, Metadata metadata) implements Comparable<Scheduled> {
        @Override
        public int compareTo(Scheduled other) { return next.compareTo(other.next); }
    }

    // The pages, by the dates from which they are due. StormCrawler's own MemorySpout has them by URL.
    private static final PriorityBlockingQueue<Scheduled> queue = new PriorityBlockingQueue<>();

    static void add(String url, Metadata metadata, Date next) { queue.add(new Scheduled(next, url, metadata)); }

    // configure sets the accesses per second, and how many seconds a day takes.
    static void configure(Map<String, Object> configuration, double bandwidth, double day) {
        configuration.put("scheduler.class", Scheduler.class.getName());
        configuration.put("own.bandwidth", bandwidth);
        configuration.put("own.day", day);
    }

    // A Spout emits what is due, the longest overdue first, as fast as the bandwidth allows.
    public static class Spout extends AbstractQueryingSpout {
        private long begin, given;
        private double bandwidth;

        @Override
        public void open(Map<String, Object> configuration, org.apache.storm.task.TopologyContext context, org.apache.storm.spout.SpoutOutputCollector collector) {
            super.open(configuration, context, collector);
            bandwidth = (double) configuration.get("own.bandwidth");
            begin = System.nanoTime();
        }

        @Override
        protected void populateBuffer() {
            double allowed = (System.nanoTime() - begin) / 1e9 * bandwidth;
            given = Math.max(given, (long) (allowed - bandwidth)); // what was not used for a second is lost
            for (Scheduled next; given < allowed && (next = queue.peek()) != null && !next.next.after(new Date()); given++) {
                queue.poll();
                buffer.add(next.url, next.metadata);
            }
        }
    }

    // An Updater puts a page back with its next date.
    public static class Updater extends AbstractStatusUpdaterBolt {
        @Override
        protected void store(String url, Status status, Metadata metadata, Optional<Date> next, Tuple tuple) {
            next.ifPresent(date -> add(url, metadata, date));
            ack(tuple, url);
        }
    }

    // A Scheduler is AdaptiveScheduler for days that are shorter: it waits for the same parts of a day.
    public static class Scheduler extends AdaptiveScheduler {
        private double day;

        @Override
        public void init(Map<String, Object> configuration) {
            super.init(configuration);
            day = (double) configuration.get("own.day");
        }

        @Override
        public Optional<Date> schedule(Status status, Metadata metadata) {
            long now = System.currentTimeMillis();
            return super.schedule(status, metadata).map(next -> new Date(now + (long) ((next.getTime() - now) * day / 86_400)));
        }
    }
}
