/** Which calls of the contract's methods the audit log records, and what it says of each. It sees every outcome, refusals, too. */
import type { Failure, Result } from '../../contract/errors.ts';
import type { AuditNote } from '../../contract/protection/audit-record.ts';
import type {
  MethodName,
  Params,
  ResultOf,
  ServiceHandlers,
  ServiceSession,
} from '../../contract/service-api.ts';
import type { EnrolledProfile } from '../../contract/settings/profile-methods.ts';
import { settingKeys } from '../../contract/settings/settings.ts';
import type { AuditLog, Cause } from './audit-log.ts';
import type { Calls } from './calls.ts';
import { decidesNothing } from './decides-nothing.ts';

type Recorded = {
  [Name in MethodName]?: {
    done?(params: Params<Name>, value: ResultOf<Name>): AuditNote | null;
    /** the other thing that the same call did */
    also?(params: Params<Name>, value: ResultOf<Name>): AuditNote | null;
    refused?(params: Params<Name>, failure: Failure): AuditNote | null;
  };
};

const recorded: Recorded = {
  'profile.enrol': {
    done: ({ grants }, { profile }) => [
      'profile-enrolled',
      {
        ...factsOf(profile),
        fingerprint: profile.fingerprint,
        grants,
        waiting: waitingIn(profile),
      },
    ],
    refused: (_params, failure) => refusedVersion('enrol', failure),
  },
  'profile.update': {
    // Without a version the service looks at the source: then the delivery tells.
    done: (params, { profile }) =>
      'profile' in params ? acceptedVersion('update', profile) : null,
    refused: (params, failure) => ('profile' in params ? refusedVersion('update', failure) : null),
  },
  'profile.approve': {
    done: (_params, { profile }) => ['profile-approved', factsOf(profile)],
    refused: (_params, failure) => refusedVersion('approve', failure),
  },
  'profile.leave': { done: (_params, { id }) => ['profile-left', { profile: id }] },

  'settings.accept': { done: (_params, { files }) => ['vanished-accepted', { files }] },
  'network.set': {
    done: ({ policy }, { id }) =>
      policy === undefined ? null : ['network-policy-set', { network: id, policy }],
    also: ({ name }, { id }) => (name === undefined ? null : ['network-named', { network: id }]),
  },
  // No record may remain that this machine was there.
  'network.forget': {
    done: (_params, { policy }) =>
      policy === null ? null : ['network-policy-set', { network: null, policy: null }],
    also: (_params, { name }) => (name === null ? null : ['network-named', { network: null }]),
  },
  'network.restore': {
    done: (_params, { id, policy }) =>
      policy === null ? null : ['network-policy-set', { network: id, policy }],
    also: (_params, { id, name }) => (name === null ? null : ['network-named', { network: id }]),
  },

  'consent.allow': {
    done: ({ minutes }, { id, group }) => ['consent-allowed', { request: id, group, minutes }],
    refused: (_params, { code }) => [
      'change-refused',
      { method: 'consent.allow', setting: null, code },
    ],
  },
  'consent.deny': { done: (_params, { id, group }) => ['consent-denied', { request: id, group }] },
  'rule.answer': {
    done: ({ link, believe }) => [believe ? 'claim-accepted' : 'claim-denied', { link }],
    refused: (_params, { code }) => [
      'change-refused',
      { method: 'rule.answer', setting: null, code },
    ],
  },
  'portal.allowSite': { done: () => ['login-site-allowed', {}] },
  'portal.open': { done: () => ['login-opened', {}] },

  'upstream.forget': {
    done: ({ id }, { evidence }) => ['upstream-forgotten', { all: id === undefined, evidence }],
  },
  'log.clear': { done: () => ['query-log-erased', {}] },
  'identity.add': {
    done: ({ name }, { identity, replaced }) => [
      'identity-added',
      { name, fingerprint: identity.certificate?.fingerprint ?? null, replaced },
    ],
  },
  'identity.remove': { done: ({ name }) => ['identity-removed', { name }] },
  'coverage.fix': {
    done: ({ fix, dryRun = false }, { files }) =>
      dryRun || files.length === 0
        ? null
        : ['coverage-fixed', { fix, files: files.map(({ file }) => file) }],
  },
  'coverage.undo': {
    done: ({ fix }, { files }) =>
      files.length === 0
        ? null
        : ['coverage-undone', { fix, files: files.map(({ file }) => file) }],
  },
  'service.stop': { done: () => ['stop-asked', {}] },

  'pause.challenge': { done: ({ minutes }) => ['challenge-made', { minutes }] },
  'pause.redeem': {
    done: (_params, { minutes }) => ['pause-code-accepted', { minutes }],
    refused: (_params, { code, message }) => ['pause-code-refused', { code, why: message }],
  },

  'protection.on': { done: () => ['protection-switched', { to: 'on', minutes: null }] },
  'protection.off': {
    done: () => ['protection-switched', { to: 'off', minutes: null }],
    refused: (_params, { code }) => ['switch-refused', { to: 'off', code }],
  },
  'protection.pause': {
    done: (params) => [
      'protection-switched',
      { to: 'paused', minutes: 'minutes' in params ? params.minutes : null },
    ],
    refused: (_params, { code }) => ['switch-refused', { to: 'paused', code }],
  },
};

/** `ownAccount`: of the service, for a connection that names none. */
export function audited(
  handlers: ServiceHandlers,
  audit: Pick<AuditLog, 'note'>,
  calls: Pick<Calls, 'during'>,
  ownAccount: number | null,
): ServiceHandlers {
  const entries = Object.entries(handlers) as [MethodName, AnyHandler][];
  return Object.fromEntries(
    entries.map(([name, handler]) => [
      name,
      (params: unknown, session: ServiceSession) => {
        const call = { account: session.account ?? ownAccount, isWithoutEffect: false };
        const tell = (result: Result<unknown>) => {
          const notes = call.isWithoutEffect ? [] : notesOf(name, params, result);
          for (const note of notes) audit.note(note, causeOf(note, call.account));
          return result;
        };
        const outcome = calls.during(call, () => handler(params, session));
        return outcome instanceof Promise ? outcome.then(tell) : tell(outcome);
      },
    ]),
  ) as unknown as ServiceHandlers;
}

type AnyHandler = (
  params: unknown,
  session: ServiceSession,
) => Result<unknown> | Promise<Result<unknown>>;

/** For a method that the control server refuses by its role, so that no handler sees it. Its parameters were not read. */
export function auditedRefusals(audit: Pick<AuditLog, 'note'>, ownAccount: number | null) {
  return (method: MethodName, { account }: Pick<ServiceSession, 'account'>): void => {
    if (decidesNothing.has(method)) return;
    const note: AuditNote = ['change-refused', { method, setting: null, code: 'forbidden' }];
    audit.note(note, causeOf(note, account ?? ownAccount));
  };
}

/** A code that was right is always recorded: the help desk gives no more of them than it means to. */
function causeOf([event]: AuditNote, account: number | null): Cause {
  return { account, isTrusted: event === 'pause-code-accepted' };
}

function notesOf(name: MethodName, params: unknown, result: Result<unknown>): AuditNote[] {
  const of = recorded[name] as Recorded['settings.set'];
  const notes = result.ok
    ? [of?.done, of?.also].map((say) => say?.(params as never, result.value as never))
    : [refusalOf(name, params, result.failure)];
  return notes.filter((note) => note !== null && note !== undefined);
}

/** The method's own record, or else that a change was refused, by whatever method somebody tried it. */
function refusalOf(name: MethodName, params: unknown, failure: Failure): AuditNote | null {
  const of = recorded[name] as Recorded['settings.set'];
  const own = of?.refused?.(params as never, failure);
  if (own !== undefined) return own;
  const { code, subject } = failure;
  if (!['setting-locked', 'forbidden'].includes(code)) return null;
  const setting = isSettingKey(subject) ? subject : null;
  return ['change-refused', { method: name, setting, code }];
}

function isSettingKey(subject: string | null): boolean {
  return (settingKeys as readonly (string | null)[]).includes(subject);
}

export function acceptedVersion(by: 'update' | 'delivery', profile: EnrolledProfile): AuditNote {
  return ['profile-accepted', { ...factsOf(profile), by, waiting: waitingIn(profile) }];
}

/** Null: nothing was refused; there was no version, or its time has not come. */
export function refusedVersion(
  by: 'enrol' | 'update' | 'approve' | 'delivery',
  { code, message, subject }: Failure,
): AuditNote | null {
  if (['profile-not-yet', 'profile-unreachable', 'no-profile'].includes(code)) return null;
  // Errors of a file repeat its text, in which names may stand; every other refusal has words of our own.
  const why = code === 'profile-refused' && subject === null ? message : null;
  return ['profile-refused', { by, code, why }];
}

function factsOf({ id, serial, gaveWay }: EnrolledProfile) {
  return { profile: id, serial, gaveWay };
}

function waitingIn({ waiting }: EnrolledProfile): string[] {
  return waiting.map(({ key }) => key);
}
