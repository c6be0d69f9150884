/** Whether page and tray still lead to the first run: the service remembers it, since a browser's memory is bound to a port. */
import { z } from 'zod';

const setup = z.strictObject({
  /** a person has completed or skipped it */
  over: z.boolean(),
});

export const setupMethods = {
  get: { params: z.strictObject({}), result: setup },
  end: { params: z.strictObject({}), result: setup },
};
