// Has StormCrawler, in local mode, crawl what a frontier hands out, or what its own AdaptiveScheduler says.
//
//   java Crawl HOST:PORT SEED...
//   java Crawl own:BANDWIDTH:DAY SEED...
//
// A SEED is a URL, or @FILE with a URL a line. It ends with its standard input.
//
// Fetching, parsing, robots.txt, outlinks and the digest of contents are StormCrawler's
// own. Its module for URLFrontier is not needed: the spout and the bolt below connect its
// core with URLFrontier's Java client. Own.java has those for AdaptiveScheduler.

import com.digitalpebble.stormcrawler.Constants;
import com.digitalpebble.stormcrawler.Metadata;
import com.digitalpebble.stormcrawler.bolt.FetcherBolt;
import com.digitalpebble.stormcrawler.bolt.JSoupParserBolt;
import com.digitalpebble.stormcrawler.bolt.URLPartitionerBolt;
import com.digitalpebble.stormcrawler.indexing.DummyIndexer;
import com.digitalpebble.stormcrawler.persistence.AbstractQueryingSpout;
import com.digitalpebble.stormcrawler.persistence.AbstractStatusUpdaterBolt;
import com.digitalpebble.stormcrawler.persistence.Status;
import crawlercommons.urlfrontier.URLFrontierGrpc;
import crawlercommons.urlfrontier.Urlfrontier.*;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.storm.LocalCluster;
import org.apache.storm.spout.SpoutOutputCollector;
import org.apache.storm.task.OutputCollector;
import org.apache.storm.task.TopologyContext;
import org.apache.storm.topology.TopologyBuilder;
import org.apache.storm.tuple.Fields;
import org.apache.storm.tuple.Tuple;
import org.yaml.snakeyaml.Yaml;

public class Crawl {
    static ManagedChannel connect(Map<String, Object> configuration) {
        return ManagedChannelBuilder.forTarget((String) configuration.get("frontier")).usePlaintext().build();
    }

    // A Spout asks the frontier for URLs.
    public static class Spout extends AbstractQueryingSpout {
        private transient URLFrontierGrpc.URLFrontierStub frontier;

        @Override
        public void open(Map<String, Object> configuration, TopologyContext context, SpoutOutputCollector collector) {
            super.open(configuration, context, collector);
            frontier = URLFrontierGrpc.newStub(connect(configuration));
        }

        @Override
        protected void populateBuffer() {
            isInQuery.set(true);
            GetParams request = GetParams.newBuilder().setMaxUrlsPerQueue(20).setMaxQueues(10).setDelayRequestable(60).build();
            frontier.getURLs(request, new StreamObserver<>() {
                @Override
                public void onNext(URLInfo info) {
                    Metadata metadata = new Metadata();
                    info.getMetadataMap().forEach((key, values) -> values.getValuesList().forEach(value -> metadata.addValue(key, value)));
                    buffer.add(info.getUrl(), metadata, info.getKey());
                }

                @Override
                public void onError(Throwable fault) {
                    fault.printStackTrace();
                    markQueryReceivedNow();
                }

                @Override
                public void onCompleted() { markQueryReceivedNow(); }
            });
        }
    }

    // An Updater tells the frontier what was discovered and fetched.
    public static class Updater extends AbstractStatusUpdaterBolt {
        private transient StreamObserver<URLItem> requests;
        private transient Map<String, List<Tuple>> waiting;

        @Override
        public void prepare(Map<String, Object> configuration, TopologyContext context, OutputCollector collector) {
            super.prepare(configuration, context, collector);
            waiting = new ConcurrentHashMap<>();
            requests = URLFrontierGrpc.newStub(connect(configuration)).putURLs(new StreamObserver<>() {
                @Override
                public void onNext(AckMessage message) {
                    for (Tuple tuple : waiting.remove(message.getID())) {
                        if (message.getStatus() == AckMessage.Status.FAIL) _collector.fail(tuple);
                        else ack(tuple, message.getID());
                    }
                }

                @Override
                public void onError(Throwable fault) { fault.printStackTrace(); }

                @Override
                public void onCompleted() {}
            });
        }

        @Override
        protected void store(String url, Status status, Metadata metadata, Optional<Date> next, Tuple tuple) {
            boolean[] sent = {false};
            waiting.compute(url, (key, tuples) -> {
                sent[0] = tuples != null && status == Status.DISCOVERED;
                List<Tuple> all = tuples == null ? new ArrayList<>() : tuples;
                if (!sent[0]) all.add(tuple);
                return all;
            });
            if (sent[0]) {
                ack(tuple, url); // the same URL is on its way
                return;
            }
            URLInfo.Builder info = URLInfo.newBuilder().setUrl(url);
            for (String key : metadata.keySet()) {
                info.putMetadata(key, StringList.newBuilder().addAllValues(List.of(metadata.getValues(key))).build());
            }
            URLItem.Builder item = URLItem.newBuilder().setID(url);
            if (status == Status.DISCOVERED) {
                item.setDiscovered(DiscoveredURLItem.newBuilder().setInfo(info));
            } else {
                item.setKnown(KnownURLItem.newBuilder().setInfo(info).setRefetchableFromDate(next.map(date -> date.getTime() / 1000).orElse(0L)));
            }
            requests.onNext(item.build());
        }
    }

    // put sends items and waits until all are acknowledged.
    static void put(ManagedChannel channel, List<URLItem> items) throws InterruptedException {
        CountDownLatch acknowledged = new CountDownLatch(items.size());
        StreamObserver<URLItem> requests = URLFrontierGrpc.newStub(channel).putURLs(new StreamObserver<>() {
            @Override public void onNext(AckMessage message) {
                if (message.getStatus() == AckMessage.Status.OK) acknowledged.countDown();
            }
            @Override public void onError(Throwable fault) { fault.printStackTrace(); }
            @Override public void onCompleted() {}
        });
        items.forEach(requests::onNext);
        requests.onCompleted();
        if (!acknowledged.await(30, TimeUnit.SECONDS)) throw new AssertionError(acknowledged.getCount() + " items were not acknowledged");
    }

    @SuppressWarnings("unchecked")
    public static void main(String[] arguments) throws Exception {
        List<String> seeds = new ArrayList<>();
        for (int i = 1; i < arguments.length; i++) {
            if (arguments[i].startsWith("@")) seeds.addAll(Files.readAllLines(Path.of(arguments[i].substring(1))));
            else seeds.add(arguments[i]);
        }
        Map<String, Object> configuration = new HashMap<>();
        for (String file : new String[] {"crawler-default.yaml", "crawler.yaml"}) {
            Map<String, Object> read = new Yaml().load(new InputStreamReader(Crawl.class.getClassLoader().getResourceAsStream(file)));
            configuration.putAll((Map<String, Object>) read.get("config"));
        }
        boolean own = arguments[0].startsWith("own:");
        if (own) {
            String[] settings = arguments[0].split(":");
            Own.configure(configuration, Double.parseDouble(settings[1]), Double.parseDouble(settings[2]));
            seeds.forEach(seed -> Own.add(seed, new Metadata(), new Date()));
        } else {
            configuration.put("frontier", arguments[0]);
            ManagedChannel channel = connect(configuration);
            put(channel, seeds.stream().map(seed -> URLItem.newBuilder().setID(seed).setDiscovered(
                    DiscoveredURLItem.newBuilder().setInfo(URLInfo.newBuilder().setUrl(seed))).build()).toList());
            channel.shutdownNow();
        }

        TopologyBuilder topology = new TopologyBuilder();
        topology.setSpout("spout", own ? new Own.Spout() : new Spout());
        topology.setBolt("partitioner", new URLPartitionerBolt()).shuffleGrouping("spout");
        topology.setBolt("fetch", new FetcherBolt()).fieldsGrouping("partitioner", new Fields("key"));
        topology.setBolt("parse", new JSoupParserBolt()).localOrShuffleGrouping("fetch");
        topology.setBolt("index", new DummyIndexer()).localOrShuffleGrouping("parse");
        topology.setBolt("status", own ? new Own.Updater() : new Updater())
                .fieldsGrouping("fetch", Constants.StatusStreamName, new Fields("url"))
                .fieldsGrouping("parse", Constants.StatusStreamName, new Fields("url"))
                .fieldsGrouping("index", Constants.StatusStreamName, new Fields("url"));
        try (LocalCluster cluster = new LocalCluster()) {
            cluster.submitTopology("crawl", configuration, topology.createTopology());
            System.in.transferTo(OutputStream.nullOutputStream());
            System.out.println("the crawl has ended");
            System.exit(0); // workers of a local cluster take long to end
        }
    }
}
