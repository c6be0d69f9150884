/**
 * The web servers of the internet, as a program: ADDRESS…. Responds to connectivity checks as real servers do, and to all other
 * requests with the name of the site.
 */
import { createServer } from 'node:http';

const connectivity: Record<string, [number, string]> = {
  '/generate_204': [204, ''],
  '/gen_204': [204, ''],
  '/success.txt': [200, 'success\n'],
  '/canonical.html': [
    200,
    '<meta http-equiv="refresh" content="0;url=https://support.mozilla.org/kb/captive-portal"/>',
  ],
  '/nm': [200, 'NetworkManager is online\n'],
  '/check_network_status.txt': [200, 'NetworkManager is online\n'],
  '/hotspot-detect.html': [
    200,
    '<HTML><HEAD><TITLE>Success</TITLE></HEAD><BODY>Success</BODY></HTML>',
  ],
  '/connecttest.txt': [200, 'Microsoft Connect Test'],
  '/ncsi.txt': [200, 'Microsoft NCSI'],
};

const addresses = process.argv.slice(2);
for (const address of addresses) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://any');
    const [status, body] = connectivity[pathname] ?? [200, `<h1>${request.headers.host}</h1>`];
    response.writeHead(status, { 'content-type': 'text/html', connection: 'close' }).end(body);
  });
  server.listen(80, address);
  await new Promise((done) => server.once('listening', done));
}
process.stdout.write('listening\n');
