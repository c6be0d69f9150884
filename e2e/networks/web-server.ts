/**
 * The web servers of the internet, as a program: ADDRESS…. Responds to connectivity checks as real servers do, and to all other
 * requests with the name of the site.
 */
import { createServer } from 'node:net';

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

const words: Record<number, string> = { 200: 'OK', 204: 'No Content' };
const longestRequest = 8192;

// node:http would cost each network of the tests more to load than all that it serves.
const addresses = process.argv.slice(2);
for (const address of addresses) {
  const server = createServer((socket) => {
    let request = '';
    socket.setEncoding('latin1');
    socket.on('error', () => socket.destroy());
    socket.on('data', (text) => {
      request = (request + text).slice(0, longestRequest);
      if (request.includes('\r\n\r\n')) socket.end(responseTo(request));
    });
  });
  server.listen(80, address);
  await new Promise((done) => server.once('listening', done));
}
process.stdout.write('listening\n');

function responseTo(request: string): string {
  const [, target = '/'] = request.split(' ', 2);
  const [, host = ''] = /^host: *(.*?)\r$/im.exec(request) ?? [];
  const { pathname } = new URL(target, 'http://any');
  const [status, body] = connectivity[pathname] ?? [200, `<h1>${host}</h1>`];
  const fields = `Content-Type: text/html\r\nContent-Length: ${body.length}\r\nConnection: close`;
  return `HTTP/1.1 ${status} ${words[status]}\r\n${fields}\r\n\r\n${request.startsWith('HEAD ') ? '' : body}`;
}
