/** The response to one HTTP request, as a promise: the only way in which the service hears of one. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { hearErrors } from './meeting.ts';

/**
 * Rejects where none comes that could be read: the connection broke, or the peer switched to another protocol (101), of which
 * "close" alone tells. Informational responses are passed over.
 */
export function responseTo(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    hearErrors(sent).once('close', () => reject(new Error('it closed without a response')));
    sent.once('response', (response) => resolve(hearErrors(response)));
  });
}
