/** One upstream and one bypass rule, as they are written in settings.json. */
import { z } from 'zod';
import { isIPv4, isIPv6, parseSocketAddress } from './socket-address.ts';

export const upstreamTransports = ['tdns', 'dot', 'tcp', 'udp'] as const;
export type UpstreamTransport = (typeof upstreamTransports)[number];

/** A transport that never carries a question outside authenticated TLS. */
export function isPrivate(transport: UpstreamTransport): boolean {
  return transport === 'tdns' || transport === 'dot';
}

/** RFC 7766 and RFC 7858; T-DNS starts TLS on the port of TCP. */
export function defaultPort(transport: UpstreamTransport): number {
  return transport === 'dot' ? 853 : 53;
}

export const serverAddress = z
  .string()
  .refine(
    (text) => (parseSocketAddress(text)?.port ?? 1) !== 0 && parseSocketAddress(text) !== null,
    {
      error: (issue) =>
        `${show(issue.input)} is not an IP address with an optional port, such as "192.0.2.1:853" or "[2001:db8::1]:853"`,
    },
  )
  .meta({ description: 'IP address with an optional port', examples: ['192.0.2.1:853'] });

/** A host name in ASCII, or an IP address: certificates carry both. */
export const authenticationName = z
  .string()
  .refine((text) => isHostName(text) || isIPv4(text) || isIPv6(text), {
    error: (issue) =>
      `${show(issue.input)} is not a host name in ASCII (write international names in their "xn--" form) or an IP address`,
  })
  .meta({ description: 'name the certificate must carry', examples: ['dns.example.net'] });

/** Base64 SHA-256 of a SubjectPublicKeyInfo (RFC 7858, section 4.2), optionally written "sha256/…". */
export const pin = z
  .string()
  .regex(/^(sha256\/)?[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/, {
    error: (issue) =>
      `${show(issue.input)} is not a pin: the base64 SHA-256 of a public key (44 characters, ending in "=")`,
  })
  .meta({ description: 'base64 SHA-256 of the public key (SPKI)' });

const upstreamTransport = z.enum(upstreamTransports, {
  error: (issue) =>
    issue.input === undefined
      ? 'this field is missing'
      : `transport ${show(issue.input)} is not available in this version; it knows ${upstreamTransports.join(', ')}`,
});

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
        'tdns: TLS begun on the DNS port by STARTTLS; dot: TLS from the start (RFC 7858); tcp and udp: in clear',
    }),
    address: z
      .union([serverAddress, z.array(serverAddress).min(1)])
      .meta({ description: 'IP addresses with optional ports, tried in order' }),
    name: z
      .union([authenticationName, z.array(authenticationName).min(1)])
      .optional()
      .meta({
        description:
          'names of which the certificate must carry one; without names and pins it must be for one of the addresses',
      }),
    pins: z
      .array(pin)
      .optional()
      .meta({ description: 'public keys of which one must be used: base64 SHA-256 (SPKI)' }),
    ca: z.string().min(1).optional().meta({
      description:
        "PEM file of authorities to trust instead of the system's; relative to the folder of the file that names it",
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
        'send the question that opens a connection along with the TLS hello, which saves a round trip. Whoever is on the way can not read it, but deliver a copy of it to the server again and watch what that server does then; so it is off unless true',
    }),
  })
  .superRefine((upstream, context) => {
    for (const field of ['name', 'pins', 'ca', 'alternative', 'earlyData'] as const)
      if (!isPrivate(upstream.transport) && upstream[field] !== undefined)
        context.addIssue({
          code: 'custom',
          path: [field],
          message: `${upstream.transport} has no TLS, so "${field}" would protect nothing; remove it or use dot or tdns`,
        });
    if (upstream.transport !== 'tdns' && upstream.starttls !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['starttls'],
        message: `"starttls" belongs to transport tdns, not ${upstream.transport}`,
      });
  });

/** Stands for itself and everything below it. */
export const domainSuffix = z
  .string()
  .refine(isDomainName, {
    error: (issue) =>
      `${show(issue.input)} is not a domain name such as "corp.example" (ASCII; international names in their "xn--" form, no wildcard: subdomains are included)`,
  })
  .meta({ description: 'domain name; subdomains are included', examples: ['corp.example'] });

export const bypassRule = z.strictObject({
  suffix: domainSuffix,
  to: z.array(serverAddress).min(1).meta({
    description: 'plain resolvers for it, tried in order; IP addresses with optional ports',
  }),
});

export type UpstreamSetting = z.infer<typeof upstreamSetting>;
export type BypassRule = z.infer<typeof bypassRule>;

function isHostName(text: string): boolean {
  return isDomainName(text) && !/^[\d.]+$/.test(text);
}

/** The root is let through on purpose: it has an error of its own, which explains why it is no bypass. */
function isDomainName(text: string): boolean {
  if (text === '.') return true;
  const labels = text.replace(/\.$/, '').split('.');
  return (
    text.length <= 254 && labels.every((label) => /^(?!-)[A-Za-z0-9_-]{1,63}(?<!-)$/.test(label))
  );
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing';
}
