import { ApiError } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { type Application, findApplication, parseScope } from './application.ts';
import type { OAuthCode } from './oauth-error.ts';

/** What a request may say (RFC 6749 §4.1.1, RFC 7636 §4.3). */
export const requestParameters = [
  'client_id',
  'redirect_uri',
  'response_type',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
];

export interface AuthorizationRequest {
  application: Application;
  /** where the answer goes */
  redirectUri: string;
  /** as the request named it; null when the only registered one is meant */
  namedUri: string | null;
  scope: string;
  state: string | undefined;
  challenge: string | null;
  /** what is wrong, when it is to be told to the client */
  problem?: { error: OAuthCode; description: string };
}

/**
 * Throws where the client or the address is not known to be right: then nothing may be sent there, and the user is told.
 * Every other fault goes back to the client (RFC 6749 §4.1.2.1).
 */
export async function readAuthorizationRequest(db: Knex, query: Record<string, string>): Promise<AuthorizationRequest> {
  const application = await findApplication(db, query.client_id ?? '');
  if (!application) throw new ApiError(400, 'The application that sent you here is not known.');
  const registered = application.redirect_uris.split(' ').filter(Boolean);
  const namedUri = query.redirect_uri || null;
  const redirectUri = namedUri ?? (registered.length === 1 ? registered[0] : undefined);
  if (redirectUri === undefined || !registered.includes(redirectUri))
    throw new ApiError(400, 'The application sent an address that is not registered for it.');
  const scope = parseScope(query.scope);
  const request = {
    application,
    redirectUri,
    namedUri,
    scope: scope ?? '',
    state: query.state,
    challenge: query.code_challenge || null,
  };
  const problem = findProblem(request, query);
  return problem ? { ...request, problem } : request;
}

function findProblem(
  { application, scope, challenge }: AuthorizationRequest,
  query: Record<string, string>,
): AuthorizationRequest['problem'] {
  if (query.response_type !== 'code')
    return { error: 'unsupported_response_type', description: 'response_type must be code.' };
  if (application.authorization_grant_type !== 'authorization-code')
    return { error: 'unauthorized_client', description: 'The application was not registered for this grant type.' };
  if (!scope) return { error: 'invalid_scope', description: 'The scope may be read, write or both.' };
  // a public client has no secret: without PKCE whoever catches the code could use it
  if (application.client_type === 'public' && !challenge)
    return { error: 'invalid_request', description: 'code_challenge is required.' };
  if (challenge && query.code_challenge_method !== 'S256')
    return { error: 'invalid_request', description: 'code_challenge_method must be S256.' };
  if (challenge && !/^[\w-]{43}$/.test(challenge))
    return { error: 'invalid_request', description: 'code_challenge is malformed.' };
  return undefined;
}
