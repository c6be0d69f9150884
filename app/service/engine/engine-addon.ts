/** The native engine as Node sees it: docs/design/engine-boundary.md, in types. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { BusAddon } from '../../bus-connection.ts';
import { fail, type Result, succeed } from '../../contract/errors.ts';
import { built } from '../../installation.ts';
import type { PeerAddon } from '../control/peer-role.ts';
import type { GuardianAddon } from '../lifetime/life-signs.ts';
import type { NetworkAddon } from '../network/linux-network-watch.ts';

export interface Engine {
  /** Whole or not at all; rejects with an Error whose message is JSON: {code, path, message, remedy}. */
  apply(config: string): Promise<void>;
  /** JSON: EngineStatus */
  status(): string;
  /** These counts of leases, by ledger entry, are on disk. */
  counted(counts: { entry: number; count: number }[]): void;
  /** Through the pipeline, as a client would; `event` is one record. */
  ask(question: Buffer): Promise<{ reply: Buffer; event: Buffer }>;
  /** The same to see whether it works: neither counted nor kept. */
  tryOut(question: Buffer): Promise<{ reply: Buffer; event: Buffer }>;
  /** `filter` is JSON, {"name": "…"} or {"suffix": "…"}; without it everything goes. Returns how many entries did. */
  flushCache(filter?: string): number;
  /** JSON: CacheEntry[] */
  showCache(name: string): string;
  /** A name of our own, with its last dot: answered on this machine, and noted when it is asked for. */
  expectProbe(): string;
  /** Whether that name came in; nothing is known of it afterwards. */
  probeArrived(name: string): boolean;
  /** JSON: Explanation, without its sentence; null: such a question is never resolved */
  explain(question: Buffer): string | null;
  /** JSON: AnswerOfOne; null: by policy it is not that upstream's to hear */
  askUpstream(id: string, question: Buffer): Promise<string | null>;
  /** The network's own resolvers: a probe, or a question of a login under its lease. Empty: nobody answered. */
  askNetwork(question: Buffer, ofLogin: boolean): Promise<Buffer>;
  /** A login is over: forgets what may have been the portal's doing. */
  forgetCaptivity(): void;
  /** JSON: ProbeReport */
  testUpstream(id: string): Promise<string>;
  /** What tells it, or all upstreams, that we were here before. Returns how many tickets there were. */
  forgetUpstream(id?: string): number;
  /** After wake, or a link that came back: abandons connections, asks again what is in flight. */
  reconnect?(): void | Promise<void>;
  /** Stops listening, answers what is in flight, delivers the last events. */
  stop(): Promise<void>;
}

export interface EngineOptions {
  /** the file in which packets sent in clear are counted, a slot an open ledger entry: decision 0010 */
  counts: string;
}

export interface EngineAddon extends PeerAddon, GuardianAddon, BusAddon {
  /** `onEvents` hands over records; `onChange` says only that `status()` would now read differently. */
  Engine: new (
    onEvents: (batch: Buffer) => void,
    onChange: () => void,
    options?: EngineOptions,
  ) => Engine;
  /** absent in an addon that can't watch this system's network */
  NetworkWatch?: NetworkAddon['NetworkWatch'];
  /** "ip:port" of the sockets that this process was handed */
  inheritedAddresses?(): string[];
  probe(request: string, onStep: (step: string) => void): Promise<string>;
  /** Throws for malformed names and unknown types. */
  encodeQuestion(name: string, type: string): Buffer;
  /** JSON: DnsMessage */
  describe(message: Buffer): string;
}

const builtAddon = built('addon/sotto.node');

export function loadEngineAddon(file: string = builtAddon): Result<EngineAddon> {
  if (!existsSync(file))
    return fail(
      'engine-missing',
      `the native engine is not built: ${file} does not exist`,
      'run "npm start" once; it builds what is missing',
      file,
    );
  try {
    return succeed(createRequire(import.meta.url)(file) as EngineAddon);
  } catch (error) {
    return fail(
      'engine-missing',
      `the native engine can't be loaded: ${error instanceof Error ? error.message : String(error)}`,
      'delete it and run "npm start", which builds it for this machine',
      file,
    );
  }
}
