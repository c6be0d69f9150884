/**
 * Every setting with its judgement, for judged-settings.test.ts: what a person who may only control must not do with it, what such a
 * person may and why that harms nobody, and what a profile needs for it.
 */
import { nowhere } from '../../contract/settings/fleet-settings.ts';
import type { Grant } from '../../contract/settings/profile-methods.ts';
import type { FlatSettings, SettingKey } from '../../contract/settings/settings.ts';
import { a, b, boxes, corp, narrow, page, rule, tor } from './setting-samples-fixture.ts';

export type Change<Key extends SettingKey> = readonly [
  before: FlatSettings[Key],
  after: FlatSettings[Key],
];

export interface Judgement<Key extends SettingKey> {
  refused: readonly Change<Key>[];
  allowed: readonly Change<Key>[];
  /** why what is allowed harms nobody, or why nothing is */
  why: string;
  /** a value that loosens compared with the default, and what it takes; null: no profile may, none: it holds without */
  profile: readonly [value: FlatSettings[Key], needs: Grant | 'none' | null];
}

export const judgements: { [Key in SettingKey]: Judgement<Key> } = {
  listen: {
    refused: [
      [['127.0.0.1:53'], ['127.0.0.1:53', '0.0.0.0:53']],
      [['127.0.0.1:53', '[::1]:53'], ['[::1]:53']],
      [['127.0.0.1:53'], ['127.0.0.1:53', '127.0.0.1:700']],
    ],
    allowed: [
      [
        ['127.0.0.1:53', '[::1]:53'],
        ['[::1]:53', '127.0.0.1:53'],
      ],
    ],
    why: 'The order alone changes nothing. Each address takes a port from others, and memory.',
    profile: [['0.0.0.0:53'], null],
  },
  upstreams: {
    refused: [
      [[a], [a, b]],
      [[a, b], [a]],
      [[a], [{ ...a, earlyData: true }]],
      [[a], [a, boxes]],
      [
        [tor, a],
        [a, tor],
      ],
      [
        [boxes, a],
        [a, boxes],
      ],
    ],
    allowed: [
      [
        [a, b],
        [b, a],
      ],
      [
        [a, tor],
        [tor, a],
      ],
    ],
    why: 'Each of them may see every name already, and none learns who asks that was not asked before one that hides it.',
    profile: [[boxes], 'authorities'],
  },
  'crossCheck.names': {
    refused: [[[], ['a.test']]],
    allowed: [[['a.test'], []]],
    why: 'Fewer names are told to all upstreams.',
    profile: [['a.test'], 'probes'],
  },
  strategy: {
    refused: [
      ['ordered', 'race'],
      ['ordered', 'fastest'],
      ['ordered', 'spread'],
      ['spread', 'ordered'],
    ],
    allowed: [
      ['race', 'ordered'],
      ['race', 'spread'],
      ['fastest', 'ordered'],
    ],
    why: 'Each upstream gets any query already; under "ordered" and "spread" it does not, and may be told who asks. A profile may choose the upstreams themselves.',
    profile: ['race', 'none'],
  },
  downgrade: {
    refused: [['refuse', 'warn']],
    allowed: [['fallback', 'refuse']],
    why: 'Less may leave in cleartext.',
    profile: ['warn', 'downgrade'],
  },
  rungs: {
    refused: [
      [['tcp'], ['tcp', 'network']],
      [
        ['unauthenticated', 'tcp', 'udp'],
        ['tcp', 'udp'],
      ],
      [['tcp', 'udp'], ['udp']],
    ],
    allowed: [
      [['unauthenticated', 'tcp', 'udp'], ['unauthenticated']],
      [['tcp', 'udp'], []],
    ],
    why: 'Less may leave in cleartext, and nothing that left by a rung leaves by one below it.',
    profile: [['tcp', 'udp', 'network'], 'rungs'],
  },
  consent: {
    refused: [['administrator', 'anyone']],
    allowed: [['anyone', 'administrator']],
    why: 'Fewer people may allow cleartext.',
    profile: ['anyone', 'none'],
  },
  pause: {
    refused: [['code', 'allowed']],
    allowed: [['allowed', 'code']],
    why: 'People pause less often, each time by a word of the help desk.',
    profile: ['allowed', 'none'],
  },
  refuseFor: {
    refused: [[[{ user: ['a'] }], []]],
    allowed: [[[], [{ user: ['a'] }]]],
    why: 'Less may leave in cleartext.',
    profile: [[], 'none'],
  },
  groups: {
    refused: [[{ corp }, { corp: { ...corp, downgrade: 'fallback' } }]],
    allowed: [[{ corp }, { corp: { ...corp, downgrade: 'refuse' } }]],
    why: 'Less may leave in cleartext, and no name moves to another upstream.',
    profile: [{ corp }, 'downgrade'],
  },
  bypass: {
    refused: [
      [[], [rule]],
      [[rule], []],
      [[rule], [narrow]],
    ],
    allowed: [[[{ ...rule, to: ['192.0.2.9', '192.0.2.8'] }], [rule]]],
    why: 'Fewer resolvers see the same names, and no internal name goes to the upstream instead.',
    profile: [[rule], 'bypass'],
  },
  learnRules: {
    refused: [
      ['ask', 'vpn'],
      ['vpn', 'off'],
    ],
    allowed: [['off', 'off']],
    why: 'Either more names leave in cleartext, or names of a VPN go to the upstream. A profile may be strict.',
    profile: ['vpn', 'none'],
  },
  allowPrivate: {
    refused: [
      [[], ['home.test']],
      [['home.test'], []],
    ],
    allowed: [
      [
        ['home.test', 'corp.test'],
        ['corp.test', 'home.test'],
      ],
    ],
    why: 'More pages would reach into the network, or internal names stop. The order changes nothing, and a profile may be strict.',
    profile: [['home.test'], 'bypass'],
  },
  forwardSpecial: {
    refused: [
      [[], ['test']],
      [['test'], []],
    ],
    allowed: [
      [
        ['test', 'internal'],
        ['internal', 'test'],
      ],
    ],
    why: 'More names would leave this machine, or internal ones stop. The order changes nothing, and a profile may be strict.',
    profile: [['test'], 'bypass'],
  },
  systemResolvers: {
    refused: [
      ['auto', ['192.0.2.53']],
      [['192.0.2.53'], []],
    ],
    allowed: [['auto', 'auto']],
    why: 'They see names while Sotto is paused, so each change decides about cleartext.',
    profile: [['192.0.2.53'], 'downgrade'],
  },
  'systemDns.take': {
    refused: [[true, false]],
    allowed: [[false, true]],
    why: 'More queries come to Sotto.',
    profile: [false, 'none'],
  },
  'systemDns.mechanism': {
    refused: [
      ['auto', 'file'],
      ['file', 'auto'],
      ['auto', 'resolvconf'],
    ],
    allowed: [['auto', 'auto']],
    why: 'A mechanism that programs go around leaves their queries to the network.',
    profile: ['file', null],
  },
  'systemDns.close': {
    refused: [
      ['always', 'contested'],
      ['contested', 'always'],
      ['never', 'contested'],
    ],
    allowed: [['always', 'always']],
    why: 'More goes past Sotto, or other resolvers of this machine stop, which control could not undo. A profile may be strict.',
    profile: ['never', null],
  },
  'cache.entries': {
    refused: [[100_000, 10_000_000]],
    allowed: [[100_000, 0]],
    why: 'A smaller cache takes less memory; who may control may empty it at any time.',
    profile: [10_000_000, 'none'],
  },
  'cache.serveStale': {
    refused: [],
    allowed: [
      [false, 'at-once'],
      [true, false],
    ],
    why: 'Old responses came by the same path as new ones, and are marked.',
    profile: ['at-once', 'none'],
  },
  'cache.staleHours': {
    refused: [],
    allowed: [[24, 168]],
    why: 'Old responses came by the same path as new ones, and are marked.',
    profile: [168, 'none'],
  },
  'cache.hotSet': {
    refused: [],
    allowed: [[0, 1000]],
    why: 'The names go to the upstream that has answered them on this network, and to nobody else.',
    profile: [1000, 'none'],
  },
  'connections.keepWarm': {
    refused: [],
    allowed: [
      [true, false],
      [false, true],
    ],
    why: 'A connection without a query carries no name.',
    profile: [false, 'none'],
  },
  'connections.dialsPerHour': {
    refused: [],
    allowed: [
      [60, 3600],
      [60, 0],
    ],
    why: 'A connection without a query carries no name, and one each second burdens nobody.',
    profile: [3600, 'none'],
  },
  'connections.keepWarmOnBattery': {
    refused: [],
    allowed: [[false, true]],
    why: 'A connection without a query carries no name.',
    profile: [true, 'none'],
  },
  'connections.fastOpen': {
    refused: [],
    allowed: [
      [true, false],
      [false, true],
    ],
    why: 'The kernel keeps its cookies by address; an upstream knows the address anyway, and no name is in them.',
    profile: [false, 'none'],
  },
  'connections.ticketHours': {
    refused: [[0, 24]],
    allowed: [[24, 0]],
    why: 'The upstream recognises this machine for a shorter time.',
    profile: [168, 'identities'],
  },
  'connections.postQuantum': {
    refused: [
      ['require', 'prefer'],
      ['require', 'off'],
      ['prefer', 'off'],
      ['off', 'require'],
      ['prefer', 'require'],
    ],
    allowed: [['off', 'prefer']],
    why: 'What is recorded today is readable for fewer people later, and no connection fails for it, as under "require".',
    profile: ['require', 'downgrade'],
  },
  'portal.detect': {
    refused: [
      [false, true],
      [true, false],
    ],
    allowed: [[true, true]],
    why: 'Pages are asked for on each network, or nobody is led to a login any more.',
    profile: [false, 'none'],
  },
  'portal.minutes': {
    refused: [[5, 60]],
    allowed: [[5, 1]],
    why: "The login window asks the network's own resolvers for a shorter time.",
    profile: [60, 'probes'],
  },
  'portal.probes': {
    refused: [[[], [page]]],
    allowed: [[[page], []]],
    why: 'Fewer servers learn where this machine is.',
    profile: [[page], 'probes'],
  },
  'queryLog.mode': {
    refused: [
      ['counts', 'full'],
      ['full', 'off'],
    ],
    allowed: [['off', 'off']],
    why: 'More names of others would be kept, or an administrator would no longer see what is done. A profile may be strict.',
    profile: ['full', 'none'],
  },
  'queryLog.programs': {
    refused: [
      [false, true],
      [true, false],
    ],
    allowed: [[true, true]],
    why: 'As the mode of the query log.',
    profile: [true, 'none'],
  },
  'queryLog.keepDays': {
    refused: [
      [30, 3650],
      [30, 1],
    ],
    allowed: [[30, 30]],
    why: 'More is kept of others, or what an administrator keeps is erased. A profile may keep less.',
    profile: [3650, 'log'],
  },
  'queryLog.maxMegabytes': {
    refused: [
      [512, 1_000_000],
      [512, 1],
    ],
    allowed: [[512, 512]],
    why: 'More is kept of others, or what an administrator keeps is erased. A profile may keep less.',
    profile: [1_000_000, 'log'],
  },
  'audit.connections': {
    refused: [
      [false, true],
      [true, false],
    ],
    allowed: [[false, false]],
    why: 'More is known of programs of others, or an administrator no longer sees what they reach.',
    profile: [true, 'log'],
  },
  'metrics.listen': {
    refused: [
      [nowhere, '127.0.0.1:9653'],
      ['127.0.0.1:9653', nowhere],
    ],
    allowed: [[nowhere, nowhere]],
    why: 'Somebody else would get it, or whoever monitors this machine nothing any more.',
    profile: ['127.0.0.1:9653', 'metrics'],
  },
  'metrics.collector': {
    refused: [
      [nowhere, 'https://otel.test/'],
      ['https://otel.test/', nowhere],
    ],
    allowed: [[nowhere, nowhere]],
    why: 'Somebody else would get it, or whoever monitors this machine nothing any more.',
    profile: ['https://otel.test/', 'metrics'],
  },
  'dnstap.socket': {
    refused: [
      [nowhere, '/run/dnstap/all.sock'],
      ['/run/dnstap/all.sock', nowhere],
    ],
    allowed: [[nowhere, nowhere]],
    why: 'Somebody else would get it, or whoever monitors this machine nothing any more.',
    profile: ['/run/dnstap/all.sock', 'dnstap'],
  },
};
