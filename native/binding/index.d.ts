// Written by `npm run boundary` from native/binding/src; changes belong there.
import type * as engine from '../../app/service/engine/boundary.ts';
import type * as kernel from '../../app/service/network/kernel-network.ts';

type Json<T> = engine.Json<T>;

export interface Asked {
  reply: Buffer
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

/** Joined until `close`, or until the bus goes. Does not keep the process alive. */
export declare class BusConnection {
  /** JSON: a list of what the method returns. Rejects where nobody answers in time, or the answer is an error or too large. */
  call(call: BusCall): Promise<string>
  /** Calls under way are rejected; `onSignal` still gets its `null`. */
  close(): Promise<void>
}

/** What the ledger has on disk. */
export interface Counted {
  entry: number
  count: number
}

/** The data plane; one per process is enough. */
export declare class Engine {
  /** Starts the engine's thread; nothing listens before `apply`. `onChange`: `status` would read differently now. */
  constructor(onEvents: (arg: Buffer) => void, onChange: () => void, options?: EngineOptions | undefined | null)
  /** Puts a configuration into force, whole or not at all. Rejects with a message that is JSON `ConfigError`. */
  apply(config: Json<engine.EngineConfig>): Promise<void>
  /** What it is doing now. */
  status(): Json<engine.EngineStatus>
  /** The ledger has these on disk: what was counted under a lease that has ended may be forgotten. */
  counted(counts: Array<Counted>): void
  /** Through the pipeline, as a client would. */
  ask(query: Buffer): Promise<Asked>
  /** The same to see whether it works: neither counted nor kept. */
  tryOut(query: Buffer): Promise<Asked>
  /** Without a filter everything goes. Returns how many responses did; throws where the name is none. */
  flushCache(filter?: Json<engine.CacheFilter>): number
  /** What is kept of one name. Throws where it is none. */
  showCache(name: string): Json<engine.CacheEntry[]>
  /** A name of our own, with its last dot: answered on this machine, and noted when it is asked for. */
  expectProbe(): string
  /** Whether a name of `expectProbe` came in; nothing is known of it afterwards. */
  probeArrived(name: string): boolean
  /** What would happen to this query now. Null: such a query is never resolved. */
  explain(query: Buffer): Json<engine.Explanation> | null
  /**
  * One query to one upstream of its group, by that upstream's own connection. Null: by policy it is not that upstream's to
  * hear.
  */
  askUpstream(id: string, query: Buffer): Promise<Json<engine.AnswerOfOne> | null>
  /** The network's own resolvers, and nobody else: a probe, or a query of a login under its lease. Empty: nobody answered. */
  askNetwork(query: Buffer, ofLogin: boolean): Promise<Buffer>
  /** A login is over: what was learned before it may have been the portal's doing. */
  forgetCaptivity(): void
  /** A fresh connection, authenticated and used for one query. Rejects an unknown id. */
  testUpstream(id: string): Promise<Json<engine.ProbeReport>>
  /**
  * Forgets everything by which an upstream could recognise this machine; without an id, for all upstreams. Returns how many
  * tickets there were.
  */
  forgetUpstream(id?: string | undefined | null): number
  /** After wake, or a link that came back: connections are made anew, and queries that wait ask again. */
  reconnect(): void
  /** Stops listening, answers what is in flight, delivers the last events. */
  stop(): Promise<void>
}

export interface EngineOptions {
  /**
  * Path of the file in which packets sent in cleartext are counted (docs/decisions/0010-policy-and-permissions.md). What it
  * held is gone: it must have been read. If it can't be had, configurations with a lease are refused.
  */
  counts?: string
}

export interface Guarded {
  /** within so many milliseconds the control plane should have said something; null: nobody waits for it */
  watchdogMs?: number
}

/** Which network this machine is on, and when its clock jumps. Does not keep the process alive. */
export declare class NetworkWatch {
  /** Throws where this system has no watch. */
  constructor(onEvent: (event: Json<kernel.NetworkEvent>) => void)
  /** From now on this engine hears at once of what makes its connections useless, before anybody knows what it will come to. */
  warn(engine: Engine): void
  /** The network as last seen. */
  current(): Json<kernel.KernelSnapshot>
  /** Ends the watch's thread; what it told before may still arrive. */
  close(): void
}

export interface PeerCredentials {
  pid: number
  uid: number
  /** the primary group first, then the others */
  gids: Array<number>
}

/** Header, question, sections in presentation form, EDNS. */
export declare function describe(message: Buffer): Json<engine.Description>

/** A query with RD, for the name in presentation form and the type as a mnemonic or TYPE65280. */
export declare function encodeQuestion(name: string, type: string): Buffer

/** Null: there is no group of this name. */
export declare function groupId(name: string): number | null

/** Null: nobody listens to our life signs. */
export declare function guarded(): Guarded | null

/** "ip:port" of each socket that was handed to this process. */
export declare function inheritedAddresses(): Array<string>

/**
 * Joins the bus at this D-Bus address and asks for the signals of these match rules. `onSignal` gets JSON `BusSignal`, and at last
 * `null`: the bus is gone. Rejects where there is no bus, or it does not answer in time.
 */
export declare function joinBus(address: string, rules: string[], withinMs: number, onSignal: (signal: string) => void): Promise<BusConnection>

/** `state`: assignments as in sd_notify(3), one a line. False: nobody heard it. */
export declare function notifyGuardian(state: string): boolean

/** As they were when the peer connected. `fd` is an open socket of this process. Null: the system can't tell. */
export declare function peerCredentials(fd: number): PeerCredentials | null

/** One query to one server, without a service. Steps are told as they happen. */
export declare function probe(request: Json<engine.ProbeRequest>, onStep: (step: Json<engine.ProbeStep>) => void): Promise<Json<engine.ProbeReport>>
