// Asks a frontier everything that URLFrontier's Java client can ask, and fails where an
// answer is not what it should be. The frontier must be empty at first.
//
//   java Client HOST:PORT

import crawlercommons.urlfrontier.URLFrontierGrpc;
import crawlercommons.urlfrontier.Urlfrontier.*;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

public class Client {
    public static void main(String[] arguments) throws Exception {
        ManagedChannel channel = ManagedChannelBuilder.forTarget(arguments[0]).usePlaintext().build();
        URLFrontierGrpc.URLFrontierBlockingStub frontier = URLFrontierGrpc.newBlockingStub(channel);

        List<URLItem> seeds = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            URLInfo info = URLInfo.newBuilder().setUrl("https://host" + i % 10 + ".example/" + i)
                    .putMetadata("depth", StringList.newBuilder().addValues("0").build()).build();
            seeds.add(URLItem.newBuilder().setID("" + i).setDiscovered(DiscoveredURLItem.newBuilder().setInfo(info)).build());
        }
        Crawl.put(channel, seeds);
        check("queues", 10, frontier.listQueues(Pagination.newBuilder().build()).getValuesCount());
        check("crawls", 1, frontier.listCrawls(Local.newBuilder().build()).getValuesCount());
        check("nodes", 1, frontier.listNodes(Empty.newBuilder().build()).getValuesCount());

        GetParams two = GetParams.newBuilder().setMaxUrlsPerQueue(2).setMaxQueues(10).setDelayRequestable(600).build();
        List<URLItem> fetched = new ArrayList<>();
        for (Iterator<URLInfo> i = frontier.getURLs(two); i.hasNext();) {
            URLInfo info = i.next();
            check("metadata of " + info.getUrl(), 1, info.getMetadataMap().get("depth").getValuesCount());
            URLInfo found = info.toBuilder().putMetadata("signature", StringList.newBuilder().addValues("x").build()).build();
            fetched.add(URLItem.newBuilder().setID(info.getUrl())
                    .setKnown(KnownURLItem.newBuilder().setInfo(found).setRefetchableFromDate(1)).build());
        }
        check("URLs handed out", 20, fetched.size());
        Stats stats = frontier.getStats(QueueWithinCrawlParams.newBuilder().build());
        check("in process", 20, stats.getInProcess());
        check("size", 1000, stats.getSize());
        Crawl.put(channel, fetched);
        check("in process", 0, frontier.getStats(QueueWithinCrawlParams.newBuilder().build()).getInProcess());
        URLItem known = frontier.getURLStatus(URLStatusRequest.newBuilder().setUrl(fetched.get(0).getID()).build());
        check("known", 1, known.hasKnown() ? 1 : 0);

        frontier.setActive(Active.newBuilder().setState(false).build());
        check("URLs while it is not active", 0, count(frontier.getURLs(two)));
        frontier.setActive(Active.newBuilder().setState(true).build());
        check("active", 1, frontier.getActive(Local.newBuilder().build()).getState() ? 1 : 0);
        frontier.blockQueueUntil(BlockQueueParams.newBuilder().setKey("host3.example").setTime(System.currentTimeMillis() / 1000 + 600).build());
        check("queues that are not blocked", 9, frontier.listQueues(Pagination.newBuilder().build()).getValuesCount());
        frontier.setDelay(QueueDelayParams.newBuilder().setKey("host4.example").setDelayRequestable(600).build());
        check("URLs of 8 queues", 16, count(frontier.getURLs(two)));
        check("URLs listed", 7, count(frontier.listURLs(ListUrlParams.newBuilder().setSize(7).build())));
        check("URLs deleted", 100, frontier.deleteQueue(QueueWithinCrawlParams.newBuilder().setKey("host5.example").build()).getValue());
        try {
            frontier.setCrawlLimit(CrawlLimitParams.newBuilder().setKey("host6.example").setLimit(5).build());
            throw new AssertionError("a crawl limit was taken");
        } catch (StatusRuntimeException refusal) {
            check("status of a crawl limit", Status.Code.UNIMPLEMENTED.value(), refusal.getStatus().getCode().value());
        }
        check("URLs deleted", 900, frontier.deleteCrawl(DeleteCrawlMessage.newBuilder().setValue("DEFAULT").build()).getValue());
        channel.shutdownNow();
        System.out.println("the client has its answers");
    }

    static void check(String what, long want, long got) {
        if (want != got) throw new AssertionError(what + ": " + got + ", not " + want);
    }

    static int count(Iterator<?> items) {
        int n = 0;
        for (; items.hasNext(); items.next()) n++;
        return n;
    }
}
