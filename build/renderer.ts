/** Makes the page out of renderer/, unless what was made last is newer than everything it is made of. */
import { rendererIsCurrent } from './places.mjs';

if (!rendererIsCurrent() || process.argv.includes('--anyway')) {
  const [{ build }, { default: config }] = await Promise.all([
    import('vite'),
    import('./vite.config.ts'),
  ]);
  await build(config);
}
