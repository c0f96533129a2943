import { ApiError } from '@tapline/plugin-sdk';

/** One answer for missing and for wrong credentials alike: it must not tell which (decisions §1). */
export const unauthenticated = (headers: Record<string, string> = {}) =>
  new ApiError(401, 'Authentication credentials were not provided.', {
    'WWW-Authenticate': 'Bearer realm="api"',
    ...headers,
  });
