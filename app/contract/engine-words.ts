/**
 * The words that the engine shares with everybody, and what is known of its transports.
 * Written by `npm run boundary` from the Rust types; changes belong there.
 */

export const outcomes = [
  'forwarded',
  'cached',
  'stale',
  'bypassed',
  'local',
  'portal',
  'refused',
  'failed',
  'dropped',
] as const;
export type Outcome = (typeof outcomes)[number];

export const costs = [
  'none',
  'reused',
  'resumed',
  'cold',
  'queued',
] as const;
export type Cost = (typeof costs)[number];

export const transports = [
  'none',
  'tdns',
  'dot',
  'tcp',
  'udp',
  'encdns',
] as const;
export type TransportKind = (typeof transports)[number];

export const clientProtocols = [
  'udp',
  'tcp',
  'control',
] as const;
export type ClientProtocol = (typeof clientProtocols)[number];

export const attributions = [
  'not-looked-up',
  'unknown',
  'known',
  'seems',
] as const;
export type Attribution = (typeof attributions)[number];

export const standings = [
  'nameless',
  'older',
  'forgotten',
] as const;
export type Standing = (typeof standings)[number];

export const clearClasses = [
  'none',
  'policy',
  'off',
  'paused',
  'bypass',
  'portal',
  'service-down',
  'contested',
  'explicit',
] as const;
export type ClearClass = (typeof clearClasses)[number];

export const keyUses = [
  'session',
  'interval',
  'per-query',
] as const;
export type KeyUse = (typeof keyUses)[number];

export const keyExchanges = [
  'prefer',
  'require',
  'off',
] as const;
export type PostQuantum = (typeof keyExchanges)[number];

export const strategies = [
  'ordered',
  'fastest',
  'race',
  'spread',
] as const;
export type Strategy = (typeof strategies)[number];

export const rungNames = [
  'unauthenticated',
  'tcp',
  'udp',
  'network',
] as const;
export type Rung = (typeof rungNames)[number];

export const upstreamStates = [
  'idle',
  'dialing',
  'ready',
  'draining',
  'resting',
] as const;
export type UpstreamState = (typeof upstreamStates)[number];

export const limitTellers = [
  'told',
  'observed',
] as const;
export type LimitBy = (typeof limitTellers)[number];

export const rests = [
  'off',
  'battery',
  'idle',
  'unwanted',
  'budget',
] as const;
export type Rest = (typeof rests)[number];

export const octetCounters = [
  'system',
  'messages',
] as const;
export type Counter = (typeof octetCounters)[number];

export const downgradeSigns = [
  'starttls-declined',
  'tls-refused',
  'reset',
  'certificate-wrong',
] as const;
export type DowngradeSign = (typeof downgradeSigns)[number];

export const fastOpens = [
  'off',
  'cookie-asked',
  'not-used',
  'accepted',
] as const;
export type FastOpen = (typeof fastOpens)[number];

export const probeSteps = [
  'connect',
  'starttls',
  'tls',
  'query',
  'response',
  'again',
  'failed',
] as const;
export type StepKind = (typeof probeSteps)[number];

export const orders = [
  'out-of-order',
  'in-order',
  'some',
] as const;
export type Together = (typeof orders)[number];

export const destinations = [
  'local',
  'bypass',
  'direct',
  'portal',
  'forward',
] as const;
export type Destination = (typeof destinations)[number];

export const fates = [
  'here',
  'private',
  'clear',
  'refused',
] as const;
export type Fate = (typeof fates)[number];

export const keptKinds = [
  'fresh',
  'denied',
  'failed',
  'expired',
] as const;
export type Kept = (typeof keptKinds)[number];

export const fits = [
  'no',
  'unknown',
  'yes',
] as const;
export type Fit = (typeof fits)[number];

export const conditionals = [
  'rule',
  'group',
  'refuse-for',
] as const;
export type Conditional = (typeof conditionals)[number];

export const upstreamTransports = [
  'tdns',
  'dot',
  'tcp',
  'udp',
  'encdns',
] as const;
export type UpstreamTransport = (typeof upstreamTransports)[number];

/** `isPrivate`: names leave it inside TLS only, authenticated except on the rung `unauthenticated`, or in boxes that one server opens. `port`: where servers listen. */
export const transportFacts: Record<UpstreamTransport, { isPrivate: boolean; hasTls: boolean; port: number }> = {
  tdns: { isPrivate: true, hasTls: true, port: 53 },
  dot: { isPrivate: true, hasTls: true, port: 853 },
  tcp: { isPrivate: false, hasTls: false, port: 53 },
  udp: { isPrivate: false, hasTls: false, port: 53 },
  encdns: { isPrivate: true, hasTls: false, port: 53 },
};
