/** The response to one HTTP request, as a promise: the service reads responses only through this. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { hearErrors } from './meeting.ts';

/**
 * Rejects where no readable response comes: the connection broke, or the peer switched to another protocol (101), which only
 * "close" reports. Informational responses are passed over.
 */
export function responseTo(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    hearErrors(sent).once('close', () => reject(new Error('it closed without a response')));
    sent.once('response', (response) => resolve(hearErrors(response)));
  });
}
