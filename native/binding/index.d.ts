// Written by `npm run boundary` from native/binding/src; changes belong there.
import type * as engine from '../../app/service/engine/boundary.ts';
import type * as kernel from '../../app/service/network/kernel-network.ts';

type Json<T> = engine.Json<T>;

export interface Asked {
  response: Buffer
  /** one event record; empty where the query could not be read */
  event: Buffer
}

export interface BusCall {
  destination: string
  path: string
  interface: string
  member: string
  /** of the arguments; absent: there are none */
  signature?: string
  /** JSON: a list of the arguments, a variant among them as `["its signature", value]` */
  body?: string
  /** whether the bus may start a service of this name; absent: no */
  mayStart?: boolean
  withinMs: number
}

/** Lasts until `close`, or until the bus ends. Does not keep the process alive. */
export declare class BusConnection {
  /** JSON: a list of what the method returns. Rejects if there is no response in time, or it is an error or too large. */
  call(call: BusCall): Promise<string>
  /** Calls under way are rejected; `onSignal` still gets its `null`. */
  close(): Promise<void>
}

/** The count of an entry that the ledger has on disk. */
export interface Counted {
  entry: number
  count: number
}

/** The data plane. A process needs one. */
export declare class Engine {
  /** Starts the engine's thread; nothing listens before `apply`. `onChange` says that `status` would return something else now. */
  constructor(onEvents: (arg: Buffer) => void, onChange: () => void, options?: EngineOptions | undefined | null)
  /** Puts a configuration into force, whole or not at all. Rejects with a message that is JSON `ConfigError`. */
  apply(config: Json<engine.EngineConfig>): Promise<void>
  /** What the engine is doing now. */
  status(): Json<engine.EngineStatus>
  /** The ledger has these counts on disk. The count of a lease that has ended may be dropped then. */
  counted(counts: Array<Counted>): void
  /** Sends a query through the pipeline, as a client would. */
  ask(query: Buffer): Promise<Asked>
  /** The same, to see whether it works: it is neither counted nor cached. */
  tryOut(query: Buffer): Promise<Asked>
  /** Which programs reach addresses that no response gave. Null: the configuration wants no audit. */
  audit(): Promise<Json<engine.AuditReport> | null>
  /** Begins the audit anew, without the addresses that responses gave and without what it found. */
  forgetAudit(): void
  /** Without a filter everything is removed. Returns how many responses were; throws if the filter's name is no name. */
  flushCache(filter?: Json<engine.CacheFilter>): number
  /** What the cache holds of one name. Throws if it is no name. */
  showCache(name: string): Json<engine.CacheEntry[]>
  /**
  * Makes a name of our own, with its last dot. It is answered on this machine, and the engine notes when a query for it
  * arrives.
  */
  expectProbe(): string
  /** Whether a query for a name of `expectProbe` has arrived. The name is forgotten afterwards. */
  probeArrived(name: string): boolean
  /** What would happen to this query now, if it came from this asker. Null: such a query is never resolved. */
  explain(query: Buffer, asker: Json<engine.SupposedAsker>): Json<engine.Explanation> | null
  /**
  * A configuration beside the one in force, to be asked about many queries. Rejects with a message that is JSON
  * `ConfigError`. No query waits for it.
  */
  suppose(config: Json<engine.EngineConfig>): Promise<Supposition>
  /**
  * Sends one query to one upstream of its group, over that upstream's own connection. Null: by policy this upstream must not
  * get it.
  */
  askUpstream(id: string, query: Buffer): Promise<Json<engine.ResponseOfOne> | null>
  /** Asks the network's own resolvers and no others: a probe, or a query of a login under its lease. Empty: no response. */
  askNetwork(query: Buffer, ofLogin: boolean): Promise<Buffer>
  /** A login has ended. Drops what was learned before, because it may have come from the portal. */
  forgetCaptivity(): void
  /** Opens a fresh connection, authenticates it, and sends one query. Rejects an unknown id. */
  testUpstream(id: string): Promise<Json<engine.ProbeReport>>
  /**
  * Drops everything by which an upstream could recognise this machine; without an id, for all upstreams. With
  * evidence: also what they have proved, without which no attack on them is seen. Returns how many tickets there were.
  */
  forgetUpstream(id: string | undefined | null, withEvidence: boolean): number
  /** After waking up, or when a link has come back: opens connections anew, and queries that wait are sent again. */
  reconnect(): void
  /** `onEvents` gets an empty batch behind the events of all queries that have been responded to. To be called again only after it. */
  markEvents(): Promise<void>
  /** Stops listening, responds to what is in flight, delivers the last events. */
  stop(): Promise<void>
}

export interface EngineOptions {
  /**
  * Path of the file in which packets sent in cleartext are counted (docs/design/policy.md). It is begun afresh: what it held
  * must have been read before. If it can't be created, configurations with a lease are refused.
  */
  counts?: string
}

export interface Guarded {
  /** the control plane should report within so many milliseconds; null: nobody waits for it */
  watchdogMs?: number
}

/** Which network this machine is on, and when its clock jumps. Does not keep the process alive. */
export declare class NetworkWatch {
  /** Throws on a system without a watch. */
  constructor(onEvent: (event: Json<kernel.NetworkEvent>) => void)
  /** From now on the watch tells this engine at once of each event that makes its connections useless, before the change is over. */
  warn(engine: Engine): void
  /** The network at the last look. */
  current(): Json<kernel.KernelSnapshot>
  /** Ends the watch's thread. Events from before may still arrive. */
  close(): void
}

export interface PeerCredentials {
  pid: number
  uid: number
  /** the primary group first, then the others */
  gids: Array<number>
}

/** Connections of one program to one address. */
export interface ResolverConnections {
  user: number
  account: string
  /** all three empty: its control group has no name */
  program: string
  unit: string
  container: string
  /** IPPROTO_ */
  protocol: number
  to: string
  port: number
  count: number
}

/** A configuration beside the one in force, and what is known so far of the queries that were added. */
export declare class Supposition {
  /** Decides about these queries, too. Rejects after `end`. */
  add(queries: Json<engine.SupposedQueries>): Promise<void>
  /** Of all queries that were added. Throws after `end`. */
  result(): Json<engine.Simulated>
  /** Lets go of both configurations. */
  end(): void
}

/** Header, question, sections in presentation form, EDNS. */
export declare function describe(message: Buffer): Json<engine.Description>

/** A query with RD, for the name in presentation form and the type as a mnemonic or TYPE65280. */
export declare function encodeQuery(name: string, type: string): Buffer

/** Null: there is no group of this name. */
export declare function groupId(name: string): number | null

/** Null: no process waits for our signs of life. */
export declare function guarded(): Guarded | null

/** "ip:port" of each socket that was handed to this process. */
export declare function inheritedAddresses(): Array<string>

/**
 * Joins the bus at this D-Bus address and subscribes to the signals of these match rules. `onSignal` gets JSON `BusSignal`, and
 * `null` at the end: the bus is gone. Rejects where there is no bus, or it does not respond in time.
 */
export declare function joinBus(address: string, rules: string[], withinMs: number, onSignal: (signal: string) => void): Promise<BusConnection>

/** `state` holds assignments as in sd_notify(3), one a line. False: it could not be sent. */
export declare function notifyGuardian(state: string): boolean

/** The credentials at the moment at which the peer connected. `fd` is an open socket of this process. Null: the system can't tell. */
export declare function peerCredentials(fd: number): PeerCredentials | null

/** One query to one server, without a service. Steps are reported as they happen. */
export declare function probe(request: Json<engine.ProbeRequest>, onStep: (step: Json<engine.ProbeStep>) => void): Promise<Json<engine.ProbeReport>>

/**
 * Connections to port 53 or 853 past loopback, and to port 443 of these addresses, which live now. At most 256 are told. Rejects where
 * the kernel does not say.
 */
export declare function resolverConnections(known: Array<string>): Promise<Array<ResolverConnections>>

/** Units whose programs wait for queries on port 53, each once, at most 256. Rejects where the kernel does not say. */
export declare function unitsOnDnsPort(): Promise<Array<string>>
