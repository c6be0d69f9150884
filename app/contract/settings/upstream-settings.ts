/** One upstream, as it is written in settings.json. */
import { z } from 'zod';
import { whyAnsweredHere } from '../dns/answered-here.ts';
import { asciiOrSame } from '../dns/ascii-name.ts';
import { isDomainName } from '../dns/domain-name.ts';
import { isResolverAddress, whyNoResolver } from '../dns/resolver-address.ts';
import { isIPv4, isIPv6, parseSocketAddress } from '../dns/socket-address.ts';
import {
  keyUses,
  transportFacts,
  type UpstreamTransport,
  upstreamTransports,
} from '../engine-words.ts';

/** A transport that never carries a name outside authenticated TLS or a box that one server opens. */
export function isPrivate(transport: UpstreamTransport): boolean {
  return transportFacts[transport].isPrivate;
}

export function hasTls(transport: UpstreamTransport): boolean {
  return transportFacts[transport].hasTls;
}

export function defaultPort(transport: UpstreamTransport): number {
  return transportFacts[transport].port;
}

export const serverAddress = z
  .string()
  .refine(isResolverAddress, {
    error: (issue) => notAnAddress(issue.input, ''),
  })
  .meta({ description: 'IP address with an optional port', examples: ['192.0.2.1:853'] });

/** A name is for a proxy to resolve: nothing here resolves one. */
const upstreamAddress = z
  .string()
  .refine(
    (text) =>
      serverAddress.safeParse(text).success ||
      parseNamedAddress(text) !== null ||
      upstreamNamed(text) !== null,
    { error: (issue) => notAnAddress(issue.input) },
  )
  .meta({
    description:
      'IP address with an optional port; behind a proxy also a host name; with encdns also "network" or another upstream, such as "upstream:quad9"',
    examples: ['192.0.2.1:853'],
  });

/** The resolvers of the network we are on carry its boxes. */
export const networkCarries = 'network';

/** "upstream:quad9" to "quad9": that upstream carries its boxes. */
export function upstreamNamed(address: string): string | null {
  return /^upstream:([A-Za-z0-9][A-Za-z0-9._-]{0,63})$/.exec(address)?.[1] ?? null;
}

/** The upstreams that carry the boxes of others: they are asked for nothing else. */
export function firstHopsOf(upstreams: readonly Pick<UpstreamSetting, 'address'>[]): Set<string> {
  return new Set(
    upstreams.flatMap(({ address }) => [address].flat().flatMap((one) => upstreamNamed(one) ?? [])),
  );
}

export const encdnsKey = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, {
    error: (issue) =>
      `${show(issue.input)} is not the public key of an EncDNS server: 64 hexadecimal digits, as "sotto-server encdns-key" prints them`,
  })
  .meta({ description: 'public key of the EncDNS server: 64 hexadecimal digits' });

export interface NamedAddress {
  name: string;
  port: number | null;
}

/** `dns.example.net` or `dns.example.net:853`. */
export function parseNamedAddress(text: string): NamedAddress | null {
  const [, given = '', port] = /^([^:]+)(?::([1-9]\d{0,4}))?$/.exec(text) ?? [];
  const name = asciiOrSame(given);
  if (!isHostName(name) || Number(port ?? 1) > 65_535) return null;
  return {
    name: name.toLowerCase().replace(/\.$/, ''),
    port: port === undefined ? null : Number(port),
  };
}

const needsProxy = '; a host name needs a "proxy" that looks it up';

function notAnAddress(input: unknown, more = needsProxy): string {
  const why = whyNoResolver(String(input));
  if (why !== null) return `no resolver can be at ${show(input)}: ${why}`;
  return `${show(input)} is not an IP address with an optional port, such as "192.0.2.1:853" or "[2001:db8::1]:853"${more}`;
}

const proxyScheme = 'socks5://';

/** "ip:port" of a proxy that passed validation. */
export function proxyAddress(proxy: string): string {
  return proxy.slice(proxyScheme.length);
}

export const proxySetting = z
  .string()
  .refine(
    (text) => text.startsWith(proxyScheme) && parseSocketAddress(proxyAddress(text))?.port != null,
    {
      error: (issue) =>
        `${show(issue.input)} is not a SOCKS5 proxy, such as "socks5://127.0.0.1:9050" or "socks5://[::1]:9050"`,
    },
  );

/** A host name, or an IP address: certificates carry both. */
export const authenticationName = z
  .string()
  .overwrite(asciiOrSame)
  .refine((text) => isHostName(text) || isIPv4(text) || isIPv6(text), {
    error: (issue) => `${show(issue.input)} is not a host name or an IP address`,
  })
  .meta({ description: 'name the certificate must carry', examples: ['dns.example.net'] });

/** Of a client identity. It is also the name of a file. */
export const identityName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, {
  error: (issue) =>
    `${show(issue.input)} is not the name of a client identity: letters, digits, ".", "_" and "-", at most 64 of them`,
});

/** Base64 SHA-256 of a SubjectPublicKeyInfo (RFC 7858, section 4.2), optionally written "sha256/…". */
export const pin = z
  .string()
  .regex(/^(sha256\/)?[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/, {
    error: (issue) =>
      `${show(issue.input)} is not a pin: the base64 SHA-256 of a public key (44 characters, ending in "=")`,
  })
  .meta({ description: 'base64 SHA-256 of the public key (SPKI)' });

/** Base64 SHA-256 of the TBSCertificate of a certificate, by which DNS stamps name it. */
export const certificatePin = z.string().regex(/^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/, {
  error: (issue) =>
    `${show(issue.input)} is not the hash of a certificate: base64 SHA-256 of its TBSCertificate (44 characters, ending in "=")`,
});

/** Stands for itself and everything below it. */
export const domainSuffix = z
  .string()
  .overwrite(asciiOrSame)
  .refine(isDomainName, {
    error: (issue) =>
      `${show(issue.input)} is not a domain name such as "corp.example" (no wildcard: subdomains are included)`,
  })
  .meta({ description: 'domain name; subdomains are included', examples: ['corp.example'] });

/** One whose names are not all answered here, whatever is said about them. */
export const askedSuffix = domainSuffix.refine((text) => whyAnsweredHere(text) === null, {
  error: ({ input }) =>
    `${show(input)} would change nothing, because Sotto answers these names itself: ${whyAnsweredHere(String(input))}`,
});

/** More than all zones of a company. */
export const askedSuffixes = z.array(askedSuffix).max(10_000);

const upstreamTransport = z.enum(upstreamTransports, {
  error: (issue) =>
    issue.input === undefined
      ? 'this field is missing'
      : `transport ${show(issue.input)} is not available in this version; it knows ${upstreamTransports.join(', ')}`,
});

/** Addresses, names or pins. */
export const mostOfUpstream = 32;

export const upstreamSetting = z
  .strictObject({
    id: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, {
        error: (issue) =>
          `${show(issue.input)} is not an id: letters, digits, ".", "_" and "-", at most 64 of them`,
      })
      .meta({ description: 'what you call it: letters, digits, ".", "_" and "-"' }),
    transport: upstreamTransport.meta({
      description:
        'tdns: TLS begun on the DNS port by STARTTLS; dot: TLS from the start (RFC 7858); encdns: in boxes that any resolver carries and one server opens; tcp and udp: in cleartext',
    }),
    address: z.union([upstreamAddress, z.array(upstreamAddress).min(1).max(mostOfUpstream)]).meta({
      description:
        'IP addresses with optional ports, in order of preference; behind a proxy also host names. With encdns: who carries the boxes, which is addresses of any resolver, "network" for those of the network we are on, or "upstream:" and the id of another upstream, which is then asked for nothing else',
    }),
    zone: domainSuffix.optional().meta({
      description: 'encdns only: the zone of the EncDNS server, below which boxes become names',
      examples: ['enc.example'],
    }),
    key: encdnsKey.optional().meta({
      description:
        'encdns only: public key of the server, which alone opens the boxes: 64 hexadecimal digits',
    }),
    keys: z.enum(keyUses).optional().meta({
      description:
        'encdns only, when this machine takes a new key pair, so that the server can not tell that earlier and later queries come from the same client: session (default) at each start and on each network; interval also every ten minutes; per-query each time, which costs both ends twice the computing',
    }),
    proxy: proxySetting.optional().meta({
      description:
        'tdns and dot only: the SOCKS5 proxy that leads to it, such as "socks5://127.0.0.1:9050" for Tor. The proxy looks its name up; each upstream and network has circuits of its own',
      examples: ['socks5://127.0.0.1:9050'],
    }),
    name: z
      .union([authenticationName, z.array(authenticationName).min(1).max(mostOfUpstream)])
      .optional()
      .meta({
        description:
          'names of which the certificate must carry one; without names and pins it must be for one of the addresses',
      }),
    pins: z
      .array(pin)
      .max(mostOfUpstream)
      .optional()
      .meta({ description: 'public keys of which one must be used: base64 SHA-256 (SPKI)' }),
    certificatePins: z.array(certificatePin).max(mostOfUpstream).optional().meta({
      description:
        'certificates of which one must be in the chain, beside name, pins and authority: base64 SHA-256 of the TBSCertificate, as DNS stamps carry it',
    }),
    ca: z.string().min(1).optional().meta({
      description:
        "PEM file of authorities to trust instead of the system's; relative to the folder of the file that names it",
    }),
    identity: identityName.optional().meta({
      description:
        'client identity by which the server knows this machine, as "sotto upstream identities add" keeps it. Without it there the upstream is not asked',
      examples: ['corp'],
    }),
    starttls: z.enum(['compat', 'draft']).optional().meta({
      description:
        "tdns only, how an offer of STARTTLS is recognised: draft by the draft's own sign, compat (default) by older ones too",
    }),
    group: z.string().min(1).optional().meta({
      description:
        'the group of "groups" it answers for; without one it answers for every other name',
    }),
    alternative: z
      .union([z.literal(false), z.int().min(1).max(65_535)], {
        error: (issue) => `${show(issue.input)} is neither false nor a port from 1 to 65535`,
      })
      .optional()
      .meta({
        description:
          'port for the other way to the same server with the same authentication: STARTTLS beside dot, TLS from the start beside tdns. By default 53 beside 853 and the reverse; false: none',
      }),
    earlyData: z.boolean().optional().meta({
      description:
        'send the query that opens a connection along with the TLS hello, which saves a round trip. Whoever is on the way can not read it, but deliver a copy of it to the server again and watch what that server does then; so it is off unless true',
    }),
  })
  .superRefine((upstream, context) => {
    for (const field of onlyWithTls)
      if (!hasTls(upstream.transport) && upstream[field] !== undefined)
        context.addIssue({
          code: 'custom',
          path: [field],
          message: `${upstream.transport} has no TLS, so "${field}" would protect nothing; remove it or use dot or tdns`,
        });
    if (upstream.transport === 'encdns') checkFirstHop(upstream.address, context);
    else checkProxy(upstream, context);
    checkEncdns(upstream, context);
    if (upstream.transport !== 'tdns' && upstream.starttls !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['starttls'],
        message: `"starttls" belongs to transport tdns, not ${upstream.transport}`,
      });
  });

const onlyWithTls = [
  'name',
  'pins',
  'certificatePins',
  'ca',
  'identity',
  'alternative',
  'earlyData',
] as const;

/** Far more than anybody uses, and few enough to be compared with each other. */
export const upstreamSettings = z.array(upstreamSetting).max(256);

interface Proxied {
  transport: UpstreamTransport;
  address: string | string[];
  proxy?: string | undefined;
}

function checkProxy({ transport, address, proxy }: Proxied, context: z.RefinementCtx): void {
  if (proxy === undefined) checkAddresses(address, context);
  else if (!hasTls(transport))
    context.addIssue({
      code: 'custom',
      path: ['proxy'],
      message: `${transport} has no TLS: whoever runs the proxy, or its exit, would read every query; remove "proxy" or use dot or tdns`,
    });
}

/** Zone and key belong to encdns, and it needs both. */
function checkEncdns(upstream: EncDns, context: z.RefinementCtx): void {
  const { transport } = upstream;
  const issue = (field: string, message: string) =>
    context.addIssue({ code: 'custom', path: [field], message });
  for (const field of ['zone', 'key', 'keys'] as const)
    if (transport !== 'encdns' && upstream[field] !== undefined)
      issue(field, `"${field}" belongs to transport encdns, not ${transport}`);
  for (const field of ['zone', 'key'] as const)
    if (transport === 'encdns' && upstream[field] === undefined)
      issue(field, `encdns needs "${field}", as "sotto-server encdns-key" prints it in its URL`);
  if (transport === 'encdns' && upstream.proxy !== undefined)
    issue('proxy', 'boxes go through a resolver, not a proxy; give the proxy to "upstream:…"');
}

interface EncDns {
  transport: UpstreamTransport;
  zone?: string | undefined;
  key?: string | undefined;
  keys?: string | undefined;
  proxy?: string | undefined;
}

/** Addresses, or one word. */
function checkFirstHop(address: string | string[], context: z.RefinementCtx): void {
  const all = [address].flat();
  const isWord = (one: string) => one === networkCarries || upstreamNamed(one) !== null;
  if (all.length === 1 && all.every(isWord)) return;
  for (const [position, one] of all.entries())
    if (!serverAddress.safeParse(one).success)
      context.addIssue({
        code: 'custom',
        path: typeof address === 'string' ? ['address'] : ['address', position],
        message: `${show(one)} can not carry boxes: give IP addresses with optional ports, or "network" alone, or one upstream such as "upstream:quad9" alone`,
      });
}

function checkAddresses(address: string | string[], context: z.RefinementCtx): void {
  for (const [position, one] of [address].flat().entries())
    if (!serverAddress.safeParse(one).success)
      context.addIssue({
        code: 'custom',
        path: typeof address === 'string' ? ['address'] : ['address', position],
        message: notAnAddress(one),
      });
}

/** Asked for as it is, without the names below it. */
export const comparedName = z
  .string()
  .overwrite(asciiOrSame)
  .refine((text) => isDomainName(text) && text !== '.', {
    error: (issue) => `${show(issue.input)} is not a domain name such as "www.example.com"`,
  })
  .meta({ description: 'domain name', examples: ['www.example.com'] });

export type UpstreamSetting = z.infer<typeof upstreamSetting>;

function isHostName(text: string): boolean {
  return isDomainName(text) && text !== '.';
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing';
}
