/** A network as a profile means it: by what every machine sees there. All of it can be forged (design/profiles.md). */
import { z } from 'zod';
import { readIpPrefix, whyNoPrefix } from '../dns/ip-prefix.ts';
import { domainSuffix } from './upstream-settings.ts';

const gatewayMac = z
  .string()
  .regex(
    /^[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5}$/,
    'a hardware address is written like "02:00:5e:10:00:00"',
  )
  .transform((text) => text.toLowerCase());

export const networkMatch = z
  .strictObject({
    gatewayMac: gatewayMac
      .optional()
      .meta({ description: 'hardware address of the gateway', examples: ['02:00:5e:10:00:00'] }),
    prefix: z
      .union([z.cidrv4(), z.cidrv6()], 'a prefix is written like "10.1.0.0/16"')
      .refine((text) => whyNoPrefix(text) === null, {
        error: (issue) =>
          `${JSON.stringify(issue.input)} is no prefix of a network: ${whyNoPrefix(String(issue.input))}`,
      })
      .transform((text) => readIpPrefix(text) ?? text)
      .optional()
      .meta({
        description: 'the addresses of the network are in this prefix',
        examples: ['10.1.0.0/16'],
      }),
    domain: domainSuffix
      .optional()
      .meta({ description: 'the first search domain that the network gives is this, or below it' }),
  })
  .refine((match) => Object.values(match).some((part) => part !== undefined), {
    error: 'it says of no network which one is meant: give gatewayMac, prefix or domain',
  })
  .meta({ description: 'which network is meant: all that is given must fit' });

export type NetworkMatch = z.infer<typeof networkMatch>;

/** "domain corp.example, prefix 10.1.0.0/16": the same for equal ones. */
export function matchText({ gatewayMac, prefix, domain }: NetworkMatch): string {
  const parts = [
    ['gateway', gatewayMac],
    ['prefix', prefix],
    ['domain', domain],
  ] as const;
  return parts.flatMap(([word, part]) => (part === undefined ? [] : `${word} ${part}`)).join(', ');
}
