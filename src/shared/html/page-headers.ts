/** The headers of the pages of both programs; each page adds its own Content-Security-Policy. */
export const PAGE_HEADERS = {
  'x-content-type-options': 'nosniff',
  // With no-referrer, browsers send "Origin: null" with a form.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
} as const
