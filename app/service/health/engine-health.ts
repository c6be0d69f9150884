/** What the engine's condition means for a person, as health issues: code to subject to detail. Pure. */

import { parseSocketAddress } from '../../contract/dns/socket-address.ts';
import { causeOf, isImpostor } from '../../contract/protection/gravity.ts';
import { type Said, say } from '../../contract/sentences/sentence.ts';
import type { HealthIssueCode } from '../../contract/status/health-issue.ts';
import type { EngineStatus } from '../engine/boundary.ts';
import { isLoopback } from '../network/ip-address.ts';

export type EngineIssueCode = Extract<
  HealthIssueCode,
  | 'certificate-wrong'
  | 'lengths-shown'
  | 'clock-wrong'
  | 'bypass-loop'
  | 'events-dropped'
  | 'descriptors-exhausted'
  | 'listen-reachable'
  | 'address-elsewhere'
  | 'address-not-held'
  | 'listener-restarting'
  | 'queries-turned-away'
>;

export interface EngineHealthFacts {
  engine: Pick<
    EngineStatus,
    | 'listening'
    | 'elsewhere'
    | 'upstreams'
    | 'events'
    | 'looping'
    | 'acceptFailures'
    | 'brokenListeners'
    | 'turnedAway'
  >;
  /** "ip:port" of the addresses that the guardian holds; null: there is no guardian */
  held: readonly string[] | null;
  now: number;
  /** a moment that has certainly passed, unix milliseconds: when this program was built */
  built: number;
}

export function engineHealth(facts: EngineHealthFacts): Map<EngineIssueCode, Map<string, Said[]>> {
  const { engine, held, now, built } = facts;
  // One that is reached at another address, or by the other way, is not in doubt.
  const unauthenticated = engine.upstreams.flatMap(({ id, path, lastError }) =>
    path === null && lastError !== null && isImpostor(lastError.code) ? [{ id, lastError }] : [],
  );

  return new Map<EngineIssueCode, Map<string, Said[]>>([
    [
      'certificate-wrong',
      new Map(
        unauthenticated.map(({ id, lastError }) => [
          id,
          [
            say('certificate-wrong', {
              upstream: id,
              message: lastError.text,
              cause: causeOf(lastError),
            }),
          ],
        ]),
      ),
    ],
    [
      'lengths-shown',
      new Map(
        engine.upstreams
          .filter(({ lengthsShown }) => lengthsShown)
          .map(({ id }) => [id, [say('formats-unheard', { upstream: id })]]),
      ),
    ],
    // Names go on being looked up (decision 0025); what else asks for certificates does not.
    ['clock-wrong', single(now < built ? say('clock-shows', { now }) : null)],
    [
      'bypass-loop',
      new Map(engine.looping.map((server) => [server, [say('resolver-asks-us', { server })]])),
    ],
    [
      'events-dropped',
      single(
        engine.events.dropped > 0 ? say('events-missing', { count: engine.events.dropped }) : null,
      ),
    ],
    ['descriptors-exhausted', single(whyNoConnections(engine.acceptFailures))],
    [
      'listen-reachable',
      new Map(
        engine.listening
          .filter((address) => !isLoopback(parseSocketAddress(address)?.ip ?? '::1'))
          .map((address) => [address, [say('listens-for-others', { address })]]),
      ),
    ],
    [
      'address-elsewhere',
      new Map(
        engine.elsewhere.map((address) => [address, [say('listens-elsewhere', { address })]]),
      ),
    ],
    [
      'address-not-held',
      new Map(
        engine.listening
          .filter((address) => held?.includes(address) === false)
          .map((address) => [address, [say('listens-unheld', { address })]]),
      ),
    ],
    [
      'listener-restarting',
      new Map(
        engine.brokenListeners.map(({ address, protocol, why }) => [
          `${protocol} ${address}`,
          [say('listener-broke', { address, protocol: protocol.toUpperCase(), message: why })],
        ]),
      ),
    ],
    [
      'queries-turned-away',
      single(
        engine.turnedAway.standing
          ? say('queries-without-room', { count: engine.turnedAway.count })
          : null,
      ),
    ],
  ]);
}

function whyNoConnections(failures: EngineStatus['acceptFailures']): Said | null {
  const { standing, lastError } = failures;
  if (!standing) return null;
  return lastError === null
    ? say('system-says-nothing')
    : say('system-says', { message: lastError });
}

function single(detail: Said | null): Map<string, Said[]> {
  return new Map(detail === null ? [] : [['', [detail]]]);
}
