/**
 * The issues that a person must know: registered here with their texts, raised and cleared by the service, shown by page, tray
 * and command line.
 */
import { z } from 'zod';
import { said } from '../sentences/said.ts';
import { inEnglish, type Said } from '../sentences/sentence.ts';
import { healthRemedies } from './health-remedies.ts';

export const severities = ['info', 'warning', 'error'] as const;

interface HealthIssueKind {
  severity: (typeof severities)[number];
  title: string;
  text: (detail: string) => string;
}

export const healthIssueKinds = {
  'settings-invalid': {
    severity: 'error',
    title: 'Settings have an error',
    text: (detail) => `The settings in force are the last good ones. ${detail}`,
  },
  'policy-file-invalid': {
    severity: 'error',
    title: 'A policy file has an error',
    text: (detail) =>
      `What it last said without an error goes on holding. Where it has a lock that could never be read, "downgrade" is locked until it is corrected, at "refuse" unless another policy says otherwise. ${detail}`,
  },
  'settings-vanished': {
    severity: 'warning',
    title: 'A settings file is gone',
    text: (detail) => `What it said last stays in force. ${detail}`,
  },
  'certificates-vanished': {
    severity: 'warning',
    title: 'Certificates of an upstream are gone',
    text: (detail) => `What the file said last stays in force. ${detail}`,
  },
  'policy-overrides-user': {
    severity: 'info',
    title: 'A policy fixes some settings',
    text: (detail) => `Your own values are not in force. ${detail}`,
  },
  'profile-expired': {
    severity: 'warning',
    title: "Your organisation's profile is out of date",
    text: (detail) => `It still holds. ${detail}`,
  },
  'profile-undelivered': {
    severity: 'warning',
    title: "Your organisation's profile can't be brought up to date",
    text: (detail) => `The version before still holds. ${detail}`,
  },
  'profile-rests': {
    severity: 'warning',
    title: "The new version of your organisation's profile does not work on this network",
    text: (detail) => `What it made strict still holds, and it is tried again by itself. ${detail}`,
  },
  'profile-waits': {
    severity: 'info',
    title: "Your organisation's profile wants more than it may",
    text: (detail) => `These settings would loosen protection, and are not in force. ${detail}`,
  },
  'identity-unusable': {
    severity: 'error',
    title: "A client identity can't be used",
    text: (detail) => `These upstreams are not asked without it. ${detail}`,
  },
  'identity-ends': {
    severity: 'warning',
    title: 'A client identity ends soon',
    text: (detail) => `From then on its upstreams are not asked. ${detail}`,
  },
  'fleet-view-stopped': {
    severity: 'warning',
    title: "Others don't get what Sotto is to tell them",
    text: (detail) => `DNS goes on, and Sotto tries again by itself. ${detail}`,
  },
  'listen-failed': {
    severity: 'error',
    title: "Sotto can't listen",
    text: (detail) => `Programs can't ask Sotto there. ${detail}`,
  },
  'upstream-retired': {
    severity: 'warning',
    title: 'An operator ends its resolver',
    text: (detail) => `From then on nobody answers there. ${detail}`,
  },
  'upstream-ended': {
    severity: 'warning',
    title: 'An operator has ended its resolver',
    text: (detail) => `Nobody answers there any more, or soon nobody will. ${detail}`,
  },
  'upstreams-disagree': {
    severity: 'warning',
    title: 'Upstreams contradict each other',
    text: (detail) =>
      `About a name that you have compared, one of them may not tell the truth. ${detail}`,
  },
  'listen-reachable': {
    severity: 'warning',
    title: 'Other machines may ask Sotto',
    text: (detail) =>
      `Whoever reaches the address asks in your name, and learns by the time an answer takes what was asked before. ${detail}`,
  },
  'lengths-shown': {
    severity: 'warning',
    title: 'The lengths of queries are not hidden',
    text: (detail) =>
      `Whoever carries the boxes sees how long the names are, and may want that. ${detail}`,
  },
  'address-elsewhere': {
    severity: 'info',
    title: 'Nobody can ask at one of the addresses',
    text: (detail) =>
      `Sotto answers on its other addresses, and on this one as soon as it exists. ${detail}`,
  },
  'address-not-held': {
    severity: 'info',
    title: 'An address is not held by the guardian',
    text: (detail) =>
      `While the service is started again, nobody answers there, and another program can take it. ${detail}`,
  },
  'descriptors-exhausted': {
    severity: 'warning',
    title: 'No more connections can be taken',
    text: (detail) => `Programs that ask over TCP are kept waiting; UDP is answered. ${detail}`,
  },
  'listener-restarting': {
    severity: 'error',
    title: "Sotto can't hear on one of its addresses",
    text: (detail) => `It is tried again, ever more slowly; its other addresses answer. ${detail}`,
  },
  'queries-turned-away': {
    severity: 'warning',
    title: 'More queries wait than Sotto has room for',
    text: (detail) =>
      `Those that need the network are told at once that it can't be asked; what is known here is answered. ${detail}`,
  },
  'network-unseen': {
    severity: 'warning',
    title: "Changes of the network can't be seen",
    text: (detail) =>
      `Until they can, nothing leaves in cleartext under a permission of before. ${detail}`,
  },
  'network-unwatched': {
    severity: 'warning',
    title: "Networks can't be told apart here",
    text: (detail) =>
      `Nobody notices that this computer comes to another network: what is allowed to leave in cleartext on this one goes on there, until its minutes are over or a private path works. ${detail}`,
  },
  'no-network': {
    severity: 'info',
    title: 'No network',
    text: (detail) =>
      `Nothing leads to an upstream, so nothing is sent and nobody is asked. ${detail}`,
  },
  'no-private-path': {
    severity: 'error',
    title: 'No private path',
    text: (detail) => `Queries are refused; nothing is sent in cleartext. ${detail}`,
  },
  'captive-portal': {
    severity: 'warning',
    title: 'This network wants you to log in',
    text: (detail) => `Until then it lets nothing through. DNS stays private. ${detail}`,
  },
  asking: {
    severity: 'warning',
    title: 'Queries wait for your decision',
    text: (detail) => `No private path works here, and nothing is sent until you decide. ${detail}`,
  },
  exposed: {
    severity: 'warning',
    title: 'Queries leave in cleartext on this network',
    text: (detail) => `No private path works here. ${detail}`,
  },
  'downgrade-attempt': {
    severity: 'error',
    title: 'Somebody may be trying to make your queries readable',
    text: (detail) =>
      `A server that spoke TLS before did not, which an attacker on this network can bring about, or a fault. ${detail}`,
  },
  'counts-incomplete': {
    severity: 'warning',
    title: 'The ledger may have counted too little',
    text: (detail) => `What the last run counted could not be taken over entirely. ${detail}`,
  },
  'certificate-wrong': {
    severity: 'error',
    title: 'An upstream could not be authenticated',
    text: (detail) => `Someone else may be answering in its place. ${detail}`,
  },
  'clock-wrong': {
    severity: 'error',
    title: 'The clock seems wrong',
    text: (detail) => `Certificates can't be checked against a wrong date. ${detail}`,
  },
  'queries-in-cleartext': {
    severity: 'warning',
    title: 'Queries leave in cleartext',
    text: (detail) => `No upstream with TLS is configured for them. ${detail}`,
  },
  'names-claimed': {
    severity: 'info',
    title: 'This network says that names are its own',
    text: (detail) => `Until you decide they are asked privately, like all others. ${detail}`,
  },
  'wide-rule': {
    severity: 'warning',
    title: 'A rule sends more than the names of one network in cleartext',
    text: (detail) => `It is a downgrade, and each query is counted as one. ${detail}`,
  },
  'account-unknown': {
    severity: 'warning',
    title: 'A condition names an account that this computer does not know',
    text: (detail) =>
      `No rule holds for it, and where the condition keeps queries private, it counts for everybody. ${detail}`,
  },
  'bypass-loop': {
    severity: 'error',
    title: 'A rule leads back to Sotto',
    text: (detail) => `Such queries would go round in circles and are refused. ${detail}`,
  },
  'log-stopped': {
    severity: 'warning',
    title: 'The query log is not being written',
    text: (detail) => `DNS goes on. ${detail}`,
  },
  'log-begun-afresh': {
    severity: 'info',
    title: 'The query log was begun afresh',
    text: (detail) => `The old one could not be used. ${detail}`,
  },
  'log-erasing-held-up': {
    severity: 'warning',
    title: 'What was erased can still be found',
    text: (detail) =>
      `Another program reads the query log's file and keeps the names in it that were erased. ${detail}`,
  },
  'audit-stopped': {
    severity: 'warning',
    title: 'The audit log is not being written',
    text: (detail) => `DNS goes on. What happens meanwhile is written later. ${detail}`,
  },
  'audit-broken': {
    severity: 'error',
    title: 'The audit log is not as it was written',
    text: (detail) => `Somebody changed its file, or the disk has a fault. ${detail}`,
  },
  'events-dropped': {
    severity: 'warning',
    title: 'The query log has gaps',
    text: (detail) => `Queries were answered faster than they could be recorded. ${detail}`,
  },
  'system-dns-not-taken': {
    severity: 'warning',
    title: "The system's DNS is not taken",
    text: (detail) => `Programs of this machine ask others, not Sotto. ${detail}`,
  },
  'system-dns-otherwise': {
    severity: 'warning',
    title: "The system's DNS is led to Sotto in another way than the settings say",
    text: (detail) => `What Sotto holds it keeps, and takes it back from others. ${detail}`,
  },
  'system-dns-contested': {
    severity: 'warning',
    title: "Something else changes the system's DNS",
    text: (detail) => `Another program, or this network by one, says whom programs ask. ${detail}`,
  },
  'system-dns-stuck': {
    severity: 'error',
    title: "The system's DNS could not be given back",
    text: (detail) => `Programs may still be led to Sotto. ${detail}`,
  },
  'coverage-gaps': {
    severity: 'info',
    title: 'Some queries go around Sotto',
    text: (detail) => `They are not protected, counted or shown. ${detail}`,
  },
  'ledger-unwritable': {
    severity: 'error',
    title: "Permissions can't be recorded",
    text: (detail) => `What can't be recorded is not sent in cleartext. ${detail}`,
  },
} as const satisfies Record<string, HealthIssueKind>;

export type HealthIssueCode = keyof typeof healthIssueKinds;

const healthIssueCodes = Object.keys(healthIssueKinds) as [HealthIssueCode, ...HealthIssueCode[]];

export const healthIssue = z.strictObject({
  code: z.enum(healthIssueCodes),
  /** an upstream's id or a file, where there can be several issues of a kind; else empty */
  subject: z.string(),
  severity: z.enum(severities),
  title: z.string(),
  text: z.string(),
  remedy: z.string(),
  /** the codes of the part of `text` after the meaning; empty where there is none, or where it comes from elsewhere */
  says: z.array(said),
  /** unix milliseconds */
  since: z.number(),
});

export type HealthIssue = z.infer<typeof healthIssue>;

/** The details of an issue: sentences of ours, or a text from elsewhere. */
export type Detail = string | readonly Said[];

export function describeHealthIssue(
  code: HealthIssueCode,
  subject: string,
  detail: Detail,
  since: number,
): HealthIssue {
  const { severity, title, text } = healthIssueKinds[code];
  const remedy: string = healthRemedies[code];
  const [english, says] =
    typeof detail === 'string' ? [detail, []] : [inEnglish(detail), [...detail]];
  return { code, subject, severity, title, text: text(english).trim(), remedy, says, since };
}

/** The whole issue as codes: "issue-asking", "issue-asking-remedy". Empty where a text from elsewhere is in it. */
export function codesOfIssue({ code, text, says }: HealthIssue): { text: Said[]; remedy: Said[] } {
  const meaning = { code: `issue-${code}`, params: {} };
  const isOurs = text === healthIssueKinds[code].text(inEnglish(says)).trim();
  return {
    text: isOurs ? [meaning, ...says] : [],
    remedy: [{ ...meaning, code: `issue-${code}-remedy` }],
  };
}
