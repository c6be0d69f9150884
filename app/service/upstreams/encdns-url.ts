/** `encdns://enc.example?key=HEX`: an EncDNS server's zone and public key, as `sotto-server encdns-key` prints them. */

import { asciiOrSame } from '../../contract/dns/ascii-name.ts';
import { isDomainName } from '../../contract/dns/domain-name.ts';
import { fail, type Result, succeed } from '../../contract/errors.ts';
import { encdnsKey } from '../../contract/settings/upstream-settings.ts';
import { isOfLowOrder, lowOrderProblem } from '../settings/low-order-key.ts';

export interface EncdnsServer {
  zone: string;
  key: string;
}

export function isEncdnsUrl(text: string): boolean {
  return /^encdns:/i.test(text.trim());
}

export function parseEncdnsUrl(text: string): Result<EncdnsServer> {
  const [, written = '', key = ''] =
    /^encdns:\/\/([^/?#]*)\/?\?key=([^&#]*)$/i.exec(text.trim()) ?? [];
  const zone = asciiOrSame(written);
  if (zone === '') return refuse('write it as encdns://ZONE?key=KEY');
  if (!isDomainName(zone)) return refuse(`${JSON.stringify(zone)} is no domain name`);
  const read = encdnsKey.safeParse(key);
  if (!read.success) return refuse(read.error.issues[0]?.message ?? 'its key is wrong');
  if (isOfLowOrder(read.data)) return refuse(lowOrderProblem);
  return succeed({ zone: zone.toLowerCase().replace(/\.$/, ''), key: read.data.toLowerCase() });
}

function refuse(why: string): Result<never> {
  return fail(
    'bad-stamp',
    `that is no address of an EncDNS server: ${why}`,
    'copy the whole address, from "encdns://" to the end of its key',
    'stamp',
  );
}
