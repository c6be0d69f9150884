// Written by `npm run addon-types` from native/binding/src; changes belong there.

export interface Asked {
  reply: Buffer
  /** one event record; empty where the question could not be read */
  event: Buffer
}

/** The data plane; one per process is enough. */
export declare class Engine {
  /** Starts the engine's thread; nothing listens before `apply`. `onChange`: `status` would read differently now. */
  constructor(onEvents: (arg: Buffer) => void, onChange: () => void)
  /** Puts a configuration into force, whole or not at all. Rejects with a message that is JSON: `{code, path, message, remedy}`. */
  apply(config: string): Promise<void>
  /** JSON `EngineStatus`. */
  status(): string
  /** Through the pipeline, as a client would. */
  ask(question: Buffer): Promise<Asked>
  /**
  * `filter` is JSON, `{"name": "…"}` or `{"suffix": "…"}`; without it everything goes. Returns how many answers did; throws
  * where the name is none.
  */
  flushCache(filter?: string | undefined | null): number
  /** JSON `CacheEntry[]`: what is kept of one name. Throws where it is none. */
  showCache(name: string): string
  /** JSON `ProbeReport`: a fresh connection, authenticated and used for one question. Rejects an unknown id. */
  testUpstream(id: string): Promise<string>
  /** Stops listening, answers what is in flight, delivers the last events. */
  stop(): Promise<void>
}

/** JSON: header, question, sections in presentation form, EDNS. */
export declare function describe(message: Buffer): string

/** A query with RD, for the name in presentation form and the type as a mnemonic or TYPE65280. */
export declare function encodeQuestion(name: string, type: string): Buffer

/** One question to one server, without a service. JSON `ProbeRequest` in, JSON steps as they happen, JSON `ProbeReport` out. */
export declare function probe(request: string, onStep: (step: string) => void): Promise<string>
