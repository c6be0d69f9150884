/**
 * The service's events in the journal of its machine: one line of JSON each, with a fixed word and fields of its own.
 * Administrators read it. No field ever holds a queried name, nor text from a person's rules.
 */

/** In the environment of the service and of its guardian: a file instead of standard error (`sotto run --journal`). */
export const journalVariable = 'SOTTO_JOURNAL';

export interface JournalEvent {
  level: 'info' | 'warn' | 'error' | 'fatal';
  /** one phrase, lower case */
  message: string;
  fields: readonly string[];
}

export const journalEvents = {
  'service-started': { level: 'info', message: 'listening', fields: ['addresses', 'control'] },
  'service-stopping': { level: 'info', message: 'stopping', fields: ['because', 'systemDns'] },
  'service-stopped': { level: 'info', message: 'stopped', fields: [] },
  'service-crashed': { level: 'fatal', message: 'unexpected error', fields: ['error'] },
  'unexpected-error': { level: 'error', message: 'unexpected error', fields: ['error'] },
  'method-failed': {
    level: 'error',
    message: 'control method failed',
    fields: ['method', 'error'],
  },
  'client-let-go': {
    level: 'warn',
    message: 'control client too slow, let go',
    fields: ['octets'],
  },

  'settings-in-force': { level: 'info', message: 'settings in force', fields: [] },
  'settings-error': {
    level: 'warn',
    message: 'settings have an error, the old ones stay in force',
    fields: ['file', 'line', 'field'],
  },
  'settings-refused': {
    level: 'warn',
    message: 'settings refused by the engine, the old ones stay in force',
    fields: ['code'],
  },
  'settings-unwatched': {
    level: 'warn',
    message: 'folder can not be watched, send SIGHUP after changes',
    fields: ['folder'],
  },
  'file-vanished': {
    level: 'warn',
    message: 'a settings or policy file is gone, what it said last stays in force',
    fields: ['file'],
  },
  'not-kept': {
    level: 'warn',
    message: 'something can not be kept for the next start',
    fields: ['what', 'why'],
  },

  'profile-accepted': {
    level: 'info',
    message: 'a version of the profile is in force',
    fields: ['id', 'serial', 'settings', 'waiting'],
  },
  'profile-refused': {
    level: 'warn',
    message: 'a version of the profile was refused',
    fields: ['by', 'code', 'why'],
  },
  'profile-not-yet': {
    level: 'info',
    message: 'a version of the profile is not for this machine, or not yet',
    fields: ['by', 'why'],
  },
  'profile-key-announced': {
    level: 'warn',
    message: 'the profile announces a key that may sign its next versions',
    fields: ['id', 'serial', 'fingerprint'],
  },
  'profile-key-changed': {
    level: 'warn',
    message: 'from now on another key signs the profile, which the key before announced',
    fields: ['id', 'serial'],
  },
  'profile-rests': {
    level: 'warn',
    message:
      "upstreams of the profile's version do not work on this network, and those of the former do",
    fields: ['id', 'serial', 'former'],
  },
  'profile-works': {
    level: 'info',
    message: "upstreams of the profile's version work again on this network",
    fields: ['id', 'serial'],
  },
  'profile-left': {
    level: 'info',
    message: 'this machine left its profile',
    fields: ['id', 'serial'],
  },
  'identity-added': {
    level: 'info',
    message: 'a client identity was added',
    fields: ['name', 'fingerprint'],
  },
  'identity-removed': {
    level: 'info',
    message: 'a client identity was removed',
    fields: ['name'],
  },
  'policy-error': {
    level: 'error',
    message: 'a policy file has an error',
    fields: ['file', 'line', 'field'],
  },
  'policy-error-over': {
    level: 'info',
    message: 'a policy file has no error any more',
    fields: ['file'],
  },
  'policy-held': {
    level: 'warn',
    message: 'a policy file has an error, what it said last of these settings stays in force',
    fields: ['file', 'settings'],
  },
  'policy-unread': {
    level: 'error',
    message: 'a policy file has a lock that could never be read, "downgrade" is locked meanwhile',
    fields: ['file'],
  },
  'policy-in-force': {
    level: 'info',
    message: 'a policy decides these settings, and locks some',
    fields: ['file', 'settings', 'locked'],
  },
  'policy-ended': {
    level: 'info',
    message: 'a policy decides no setting any more',
    fields: ['file'],
  },
  'change-refused': {
    level: 'warn',
    message: 'a change of a setting was refused',
    fields: ['setting', 'because', 'role'],
  },
  'network-policy-set': {
    level: 'info',
    message: 'a network has a policy of its own, or (null) no longer',
    fields: ['network', 'policy', 'who'],
  },

  'dns-taken': {
    level: 'info',
    message: "the system's DNS is with Sotto",
    fields: ['mechanism', 'links'],
  },
  'dns-given-back': {
    level: 'info',
    message: "the system's DNS is given back",
    fields: ['because'],
  },
  'dns-lost': {
    level: 'warn',
    message: "the system's DNS is wanted and not with Sotto",
    fields: ['code'],
  },
  'dns-contested': {
    level: 'warn',
    message: "something else changes the system's DNS; closed: what goes past Sotto is rejected",
    fields: ['closed'],
  },
  'dns-contest-over': {
    level: 'info',
    message: "nothing else changes the system's DNS any more",
    fields: [],
  },

  'coverage-fixed': {
    level: 'info',
    message: 'settings of another program were changed so that its queries come here',
    fields: ['fix', 'files', 'proved', 'who'],
  },
  'coverage-undone': {
    level: 'info',
    message: 'a change of settings of another program was undone',
    fields: ['fix', 'files', 'who'],
  },

  'authentication-failed': {
    level: 'error',
    message: 'an upstream could not be authenticated',
    fields: ['upstream', 'code'],
  },
  'authentication-restored': {
    level: 'info',
    message: 'an upstream is authenticated again, or no longer asked',
    fields: ['upstream'],
  },
  'downgrade-evidence': {
    level: 'error',
    message: 'an upstream that spoke TLS before did not',
    fields: ['upstream'],
  },
  'protection-changed': {
    level: 'info',
    message: 'what becomes of the queries of a group of upstreams',
    fields: ['group', 'state'],
  },
  'protection-switched': {
    level: 'info',
    message: 'somebody turned protection on or off, or paused it',
    fields: ['to', 'who'],
  },
  'switch-refused': {
    level: 'warn',
    message:
      'somebody may not turn protection off or pause it, because of a lock, of "consent" or of "pause"',
    fields: ['to', 'who', 'role'],
  },
  'cleartext-permitted': {
    level: 'warn',
    message: 'an entry of the ledger permits cleartext',
    fields: ['entry', 'class', 'group'],
  },
  'cleartext-ended': {
    level: 'info',
    message: 'an entry of the ledger is closed',
    fields: ['entry', 'class', 'count'],
  },

  'query-log-erased': { level: 'info', message: 'the query log was erased', fields: ['who'] },

  'issue-raised': {
    level: 'warn',
    message: 'something to know, see "sotto status"',
    fields: ['issue', 'severity'],
  },
  'issue-over': { level: 'info', message: 'it is over', fields: ['issue'] },
} as const satisfies Record<string, JournalEvent>;

export type JournalWord = keyof typeof journalEvents;

type JournalValue = string | number | boolean | null | readonly string[];

export type JournalFields<Word extends JournalWord> = Record<
  (typeof journalEvents)[Word]['fields'][number],
  JournalValue
>;
