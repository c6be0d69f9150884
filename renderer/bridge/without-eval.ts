/** The page's policy forbids making code out of text; this is said before the first validator is made. */
import { z } from 'zod';

z.config({ jitless: true });
