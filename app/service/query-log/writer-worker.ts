/** The one thread that writes the log. `log-writer.ts` has its behaviour. */
import { parentPort, workerData } from 'node:worker_threads';
import { giveBackAfterStart, RestAfterBurst } from '../base/give-back-memory.ts';
import { dnstapFrames } from '../dnstap/dnstap-frame.ts';
import type { FromWriter, ToWriter, WriterOptions } from './log-messages.ts';
import { LogWriter } from './log-writer.ts';
import { stepBack } from './step-back.ts';

const tickEvery = 60_000;
/** Live batches on their way to the service, and as many for a dnstap reader; with more, the service is too busy for them. */
const liveBatchesAtOnce = 32;
/** As nice(1) counts; 19 would let a busy machine stop the log. */
const niceness = 10;

if (parentPort === null) throw new Error('writer-worker.ts runs in a worker thread');
const port = parentPort;
giveWay();

let liveUnderWay = 0;
let leftOut = 0;
let tapsUnderWay = 0;
let tapLeftOut = 0;
let handledOctets = 0;
const rest = new RestAfterBurst();
giveBackAfterStart();

const writer = new LogWriter(workerData as WriterOptions, {
  now: Date.now,
  later: (milliseconds, work) => {
    if (milliseconds === 0) setImmediate(work);
    else setTimeout(work, milliseconds).unref();
  },
  onLive: (events) => {
    if (liveUnderWay >= liveBatchesAtOnce) {
      leftOut += events.length;
      return;
    }
    liveUnderWay += 1;
    send({ kind: 'live', events, leftOut });
    leftOut = 0;
  },
  onTap: (events) => {
    if (tapsUnderWay >= liveBatchesAtOnce) {
      tapLeftOut += events.length;
      return;
    }
    tapsUnderWay += 1;
    const frames = Uint8Array.from(dnstapFrames(events));
    const tapped: FromWriter = {
      kind: 'tapped',
      frames,
      count: events.length,
      leftOut: tapLeftOut,
    };
    port.postMessage(tapped, [frames.buffer]);
    tapLeftOut = 0;
  },
  onStatus: () => setImmediate(sendStatus),
});
const ticking = setInterval(() => writer.tick(), tickEvery);
sendStatus();

port.on('message', (message: ToWriter) => {
  switch (message.kind) {
    case 'batch':
      writer.accept(message.octets);
      handledOctets += message.octets.byteLength;
      rest.handled(message.octets.byteLength);
      return sendStatus();
    case 'failed':
      return writer.addFailed(message.failed);
    case 'configure':
      writer.configure(message.settings);
      return sendStatus();
    case 'follow':
      writer.following = message.on;
      return;
    case 'live-seen':
      liveUnderWay -= 1;
      return;
    case 'tap':
      writer.tapped = message.on;
      return;
    case 'tap-seen':
      tapsUnderWay -= 1;
      return;
    case 'clear':
      send({ kind: 'cleared', request: message.request, error: writer.clear() });
      return sendStatus();
    case 'tally':
      return send({ kind: 'tallied', request: message.request, tally: writer.tally() });
    case 'series':
      return send({
        kind: 'drawn',
        request: message.request,
        series: writer.series(message.wanted),
      });
    case 'check-file':
      writer.checkFile();
      return sendStatus();
    case 'close':
      writer.close();
      clearInterval(ticking);
      port.close();
  }
});

function sendStatus(): void {
  send({ kind: 'status', status: writer.status, handledOctets, lastId: writer.lastId });
  handledOctets = 0;
}

function send(message: FromWriter): void {
  port.postMessage(message);
}

/** On Linux a priority belongs to a thread: this one writes when no thread that answers queries wants to run. */
function giveWay(): void {
  if (process.platform === 'linux') stepBack(0, niceness);
}
