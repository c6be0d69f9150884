/** Builds the page from renderer/, unless the last build is newer than all its sources. */
import { rendererIsCurrent } from './places.mjs';

if (!rendererIsCurrent() || process.argv.includes('--anyway')) {
  const [{ build }, { default: config }] = await Promise.all([
    import('vite'),
    import('./vite.config.ts'),
  ]);
  await build(config);
}
