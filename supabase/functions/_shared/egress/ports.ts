/** Which ports may be reached. Pure. */

/**
 * Ports from 1024 up that are known for something no HTTP API stands behind: a database, cache, queue, search
 * cluster, service registry, container or cluster administration, remote desktop, proxy. Such a service often trusts
 * whoever can reach it, and some read commands out of an HTTP request. An API behind one of these ports can be given
 * another port; the loss is small and told in words. Source: the services' documented defaults.
 */
const SERVICE_PORTS: ReadonlyMap<number, string> = new Map([
  ...named("SQL Server", 1433, 1434),
  ...named("Oracle", 1521, 1522, 1526, 2483, 2484),
  ...named("NFS", 2049),
  ...named("ZooKeeper", 2181, 2888, 3888),
  ...named("Docker", 2375, 2376, 2377),
  ...named("etcd", 2379, 2380, 4001),
  ...named("a proxy", 1080, 3128),
  ...named("LDAP", 3268, 3269),
  ...named("MySQL", 3306, 33060),
  ...named("remote desktop", 3389, 5900, 5901, 5985, 5986),
  ...named("NATS", 4222, 6222, 8222),
  ...named("Erlang", 4369, 25672),
  ...named("PostgreSQL", 5432, 5433, 6432),
  ...named("AMQP", 5671, 5672, 15671, 15672),
  ...named("CouchDB", 5984, 6984),
  ...named("X11", 6000),
  ...named("Redis", 6379, 6380, 16379, 26379),
  ...named("Kubernetes", 6443, 10248, 10249, 10250, 10255, 10256, 10257, 10259),
  ...named("Cassandra", 7000, 7001, 7199, 9042, 9142, 9160),
  ...named("Neo4j", 7473, 7474, 7687),
  ...named("Consul", 8300, 8301, 8302, 8500, 8501, 8502, 8600),
  ...named("Vault", 8200, 8201),
  ...named("InfluxDB", 8086),
  ...named("Kafka", 9092, 9093, 9094),
  ...named("Prometheus", 9090, 9100),
  ...named("Elasticsearch", 9200, 9201, 9300),
  ...named("FastCGI", 9000),
  ...named("memcached", 11211),
  ...named("Hadoop", 8020, 9870, 50010, 50070),
  ...named("Solr", 8983),
  ...named("MQTT", 1883, 8883),
  ...named("ActiveMQ", 8161, 61613, 61616),
  ...named("RethinkDB", 28015, 29015),
  ...named("CockroachDB", 26257),
  ...named("MongoDB", 27017, 27018, 27019, 28017),
  ...named("Db2", 50000),
  // What is left of the list of the Fetch standard: a browser's client would not connect to these either.
  ...named(
    "a service browsers refuse",
    1719,
    1720,
    1723,
    3659,
    4045,
    4190,
    5060,
    5061,
    6566,
    6679,
    6697,
    10080,
  ),
  ...named("IRC", 6665, 6666, 6667, 6668, 6669),
]);

/** Why `port` may not be reached, in words, or `null` when it may: 443, and from 1024 up what is no known service. */
export function refusePort(port: number): string | null {
  if (port === 443) return null;
  if (port < 1024) return `port ${port} is not taken: use 443, or a port from 1024 up`;
  const service = SERVICE_PORTS.get(port);
  return service === undefined ? null : `port ${port} is not taken: it is known for ${service}`;
}

function named(service: string, ...ports: number[]): [number, string][] {
  return ports.map((port) => [port, service]);
}
