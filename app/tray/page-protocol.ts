/** The page's files, under a scheme of their own that only its window knows. */
import { protocol, type Session } from 'electron';

const scheme = 'sotto';
export const pageOrigin = `${scheme}://page`;

export interface PageFile {
  status: number;
  headers: Record<string, string> & { 'content-type': string };
  body: Buffer;
}

/** Returns the file for a path such as "/assets/main.js", never one outside the page's folder. */
export type PageFiles = (path: string) => Promise<PageFile>;

/** To be called before the application is ready. */
export function announceScheme(): void {
  const privileges = { standard: true, secure: true, supportFetchAPI: true };
  protocol.registerSchemesAsPrivileged([{ scheme, privileges }]);
}

export function servePage(session: Session, files: PageFiles): void {
  const answer = (url: string) => files(new URL(url).pathname);
  if (typeof session.protocol.handle === 'function') {
    session.protocol.handle(scheme, async ({ url }) => {
      const { status, headers, body } = await answer(url);
      return new Response(new Uint8Array(body), { status, headers });
    });
    return;
  }
  // Electron before 25
  session.protocol.registerBufferProtocol(scheme, (request, respond) => {
    void answer(request.url).then(({ status, headers, body }) =>
      respond({ statusCode: status, headers, mimeType: headers['content-type'], data: body }),
    );
  });
}
