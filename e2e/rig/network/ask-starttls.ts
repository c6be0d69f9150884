/** Sends one query inside STARTTLS, as a program to start on a machine of the lab: ADDRESS CA SERVER-NAME QNAME. */
import { readFile } from 'node:fs/promises';
import { encodeQuery, parse } from '../message.ts';
import { askStarttls } from '../raw-client.ts';

const [address = '', ca = '', serverName = '', name = ''] = process.argv.slice(2);
/** draft-ietf-dprive-start-tls-for-dns: STARTTLS CH TXT with the TO bit, as octets */
const dummy = Buffer.from(
  '1a2b00000001000000000001085354415254544c5300001000030000291000000040000000',
  'hex',
);
const asked = encodeQuery(name, 'A');
const { answer, tls } = await askStarttls(
  { address, port: 53 },
  dummy,
  asked,
  await readFile(ca),
  serverName,
);
tls.destroy();
process.exitCode = parse(answer).answers.length > 0 ? 0 : 1;
