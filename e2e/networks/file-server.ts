/** The files of a folder by HTTPS, each with an ETag, as a program: FOLDER ADDRESS CERTIFICATE KEY. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { basename, join } from 'node:path';

const [folder = '', address = '', cert = '', key = ''] = process.argv.slice(2);
const identity = { cert: readFileSync(cert), key: readFileSync(key) };

createServer(identity, ({ url = '', headers }, response) => {
  try {
    const octets = readFileSync(join(folder, basename(url)));
    const tag = `"${createHash('sha256').update(octets).digest('hex')}"`;
    const isKnown = headers['if-none-match'] === tag;
    response.writeHead(isKnown ? 304 : 200, { ETag: tag }).end(isKnown ? undefined : octets);
  } catch {
    response.writeHead(404).end();
  }
}).listen(443, address, () => process.stdout.write('listening\n'));
