import { ApiError } from '@tapline/plugin-sdk';

export type OAuthCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'access_denied';

/** The body of RFC 6749 §5.2. Our 401s never name Basic: a browser would ask for a password. */
export const oauthError = (error: OAuthCode, description: string): ApiError =>
  error === 'invalid_client'
    ? new ApiError(
        401,
        { error, error_description: description },
        { 'WWW-Authenticate': 'Bearer realm="api"', 'Cache-Control': 'no-store' },
      )
    : new ApiError(400, { error, error_description: description }, { 'Cache-Control': 'no-store' });
