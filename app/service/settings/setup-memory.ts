/** Remembers that the first run is over: by a file that exists or not. */
import { existsSync } from 'node:fs';
import { fail, succeed } from '../../contract/errors.ts';
import type { ServiceHandlers } from '../../contract/service-api.ts';
import { writeDurably } from '../base/durable-file.ts';
import { sayErrno } from '../base/errno-words.ts';

export function createSetupHandlers(
  file: string,
): Pick<ServiceHandlers, 'setup.get' | 'setup.end'> {
  return {
    'setup.get': () => succeed({ over: existsSync(file) }),
    'setup.end': () => {
      try {
        writeDurably(file, '{"over":true}\n');
        return succeed({ over: true });
      } catch (error) {
        return fail(
          'state-unwritable',
          `can't write ${file}: ${sayErrno(error)}; the first run is offered again`,
          'free space on the disk and check who owns the folder',
          file,
        );
      }
    },
  };
}
