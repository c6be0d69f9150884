import { expect, test } from 'vitest';
import { inlineSources } from './inline-policy.ts';

test('what stands in the document is let in by its hash, and what it loads is not', () => {
  const html = `<style>a{}</style><script>1</script><script type="module" src="./x.js"></script>`;
  // printf %s 'a{}' | openssl dgst -sha256 -binary | base64
  expect(inlineSources(html)).toEqual({
    style: " 'sha256-X1RutGBrXCt9KkSaXMK7tHftWiRscFHOhxsS8tv8hBk='",
    script: " 'sha256-a4ayc/80/OGda4BO/1o/V0etpOqiLx1JwB5S3beHW0s='",
  });
  expect(inlineSources('<p>x</p>')).toEqual({ script: '', style: '' });
});
