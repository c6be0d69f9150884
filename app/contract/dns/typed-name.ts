/** A name in a request, as a person types it: what an international one stands for on the wire goes on, and the engine judges the rest. */
import { z } from 'zod';
import { asciiName, asciiOrSame } from './ascii-name.ts';

export const typedName = z
  .string()
  .min(1)
  .max(1024)
  .overwrite(asciiOrSame)
  // ASCII stays as it is, so that what is not ASCII now stands for nothing.
  .refine((text) => asciiName(text) === text, {
    error: (issue) => `${JSON.stringify(issue.input)} is not a domain name`,
  });
