/** What the engine's condition means for a person, as health issues: code to subject to detail. Pure. */
import type { HealthIssueCode } from '../../contract/health-issue.ts';
import type { EngineStatus } from '../engine/engine-status.ts';

export type EngineIssueCode = Extract<
  HealthIssueCode,
  'certificate-wrong' | 'clock-wrong' | 'bypass-loop' | 'events-dropped' | 'descriptors-exhausted'
>;

export interface EngineHealthFacts {
  engine: Pick<EngineStatus, 'upstreams' | 'events' | 'looping' | 'acceptFailures'>;
  now: number;
  /** a moment that has certainly passed, unix milliseconds: when this program was built */
  built: number;
}

const validityErrors = new Set(['certificate-expired', 'certificate-not-yet-valid']);

export function engineHealth(facts: EngineHealthFacts): Map<EngineIssueCode, Map<string, string>> {
  const { engine, now, built } = facts;
  const unauthenticated = engine.upstreams.flatMap(({ id, state, lastError }) =>
    state !== 'ready' && lastError?.code.startsWith('certificate-') ? [{ id, ...lastError }] : [],
  );
  // A clock that is behind makes good certificates look wrong: one cause, one issue.
  const clockWrong = now < built && unauthenticated.some(({ code }) => validityErrors.has(code));
  const untrusted = unauthenticated.filter(({ code }) => !clockWrong || !validityErrors.has(code));

  return new Map<EngineIssueCode, Map<string, string>>([
    ['certificate-wrong', new Map(untrusted.map(({ id, text }) => [id, `${id}: ${text}.`]))],
    ['clock-wrong', single(clockWrong ? `It shows ${new Date(now).toISOString()}.` : null)],
    [
      'bypass-loop',
      new Map(engine.looping.map((server) => [server, `${server} asks Sotto itself.`])),
    ],
    [
      'events-dropped',
      single(engine.events.dropped > 0 ? `${engine.events.dropped} are missing.` : null),
    ],
    ['descriptors-exhausted', single(whyNoConnections(engine.acceptFailures))],
  ]);
}

function whyNoConnections(failures: EngineStatus['acceptFailures']): string | null {
  const { standing, lastError } = failures;
  return standing ? `The system says: ${lastError ?? 'nothing'}.` : null;
}

function single(detail: string | null): Map<string, string> {
  return new Map(detail === null ? [] : [['', detail]]);
}
