/** Shared with the tray. */
import { protectSentences } from '../../../app/contract/sentences/protect-de.ts';

export const protect = protectSentences;
