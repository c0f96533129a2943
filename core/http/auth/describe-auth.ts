import { record, type Schema, text } from '../../descriptors/describe/json-schema.ts';
import { refusal, told } from '../../descriptors/describe/openapi-errors.ts';
import { requestParameters } from '../../accounts/oauth/authorization-request.ts';

const page = { 'text/html': { schema: text } };
const json = (schema: Schema) => ({ 'application/json': { schema } });
/** Somebody with a browser is told on a page. */
const orPage = (name: 'Error' | 'Invalid') => ({ ...page, ...json(told(name)) });
const form = (properties: string[], required: string[]) => {
  const schema = { type: 'object', properties: Object.fromEntries(properties.map((name) => [name, text])), required };
  return { requestBody: { content: { 'application/x-www-form-urlencoded': { schema }, ...json(schema) } } };
};
const redirected = (where: string) => ({
  302: { description: where, headers: { Location: { schema: { type: 'string' } } } },
});
const oauthRefusal = {
  400: {
    description: 'RFC 6749 §5.2, or a body that cannot be read.',
    content: json({ anyOf: [oauthError(), told('Invalid')] }),
  },
  401: {
    description: 'The client is not known.',
    content: json({ anyOf: [oauthError(), told('Error')] }),
  },
  default: refusal.default,
};

function oauthError(): Schema {
  return record({ error: text, error_description: text });
}

const operation = (method: string, path: string, summary: string, more: Schema) => ({
  [method]: {
    operationId: `${method}${path.replaceAll(/\W+/g, '_').replace(/_$/, '')}`,
    tags: ['login'],
    summary,
    security: [],
    ...more,
  },
});

const loginPage = { description: 'The login page.', content: page };
const loginRefusal = {
  401: {
    description: 'Wrong user name or password.',
    content: orPage('Error'),
  },
  403: {
    description: 'The request comes from elsewhere.',
    content: orPage('Error'),
  },
  429: { description: 'Too many attempts.', content: orPage('Error') },
  503: {
    description: 'Too many logins at once.',
    content: orPage('Error'),
  },
  ...refusal,
};
const refusedPage = {
  400: {
    description: 'Why it cannot be authorized.',
    content: orPage('Invalid'),
  },
};

/** What the description of the API says of the paths where a caller becomes somebody. */
export const describedAuth: Record<string, Schema> = {
  '/api/login/': {
    ...operation('get', '/api/login/', 'The login page', {
      parameters: [{ name: 'next', in: 'query', schema: text, description: 'Where the login leads to.' }],
      responses: { 200: loginPage, ...refusal },
    }),
    ...operation('post', '/api/login/', 'Log in: a session and its cookies', {
      ...form(['username', 'password', 'next', 'csrfmiddlewaretoken'], ['username', 'password']),
      responses: { ...redirected('Logged in.'), ...loginRefusal },
    }),
  },
  '/api/logout/': operation('post', '/api/logout/', 'End the session', {
    ...form(['csrfmiddlewaretoken'], []),
    responses: { ...redirected('Logged out.'), ...refusal },
  }),
  '/api/o/': operation('get', '/api/o/', 'Where OAuth2 is', {
    responses: {
      200: { description: 'Addresses.', content: json(record({ authorize: text, token: text, revoke_token: text })) },
      ...refusal,
    },
  }),
  '/api/o/authorize/': {
    ...operation('get', '/api/o/authorize/', 'Ask the user for consent (RFC 6749 §4.1.1)', {
      parameters: requestParameters.map((name) => ({ name, in: 'query', schema: text })),
      responses: {
        200: { description: 'The consent page.', content: page },
        ...redirected('To the login, or back to the application with its code.'),
        ...refusal,
        ...refusedPage,
      },
    }),
    ...operation('post', '/api/o/authorize/', 'The word of the user', {
      ...form([...requestParameters, 'decision', 'csrfmiddlewaretoken'], []),
      responses: { ...redirected('Back to the application.'), ...refusal, ...refusedPage },
    }),
  },
  '/api/o/token/': operation('post', '/api/o/token/', 'A token (RFC 6749 §3.2)', {
    ...form(
      [
        'grant_type',
        'client_id',
        'client_secret',
        'username',
        'password',
        'scope',
        'code',
        'code_verifier',
        'redirect_uri',
        'refresh_token',
      ],
      ['grant_type'],
    ),
    responses: {
      200: {
        description: 'The token.',
        content: json(
          record({
            access_token: text,
            token_type: { const: 'Bearer' },
            expires_in: { type: 'integer' },
            refresh_token: text,
            scope: text,
          }),
        ),
      },
      ...oauthRefusal,
    },
  }),
  '/api/o/revoke_token/': operation('post', '/api/o/revoke_token/', 'End a token (RFC 7009)', {
    ...form(['token', 'token_type_hint', 'client_id', 'client_secret'], ['token']),
    responses: { 200: { description: 'Ended.' }, ...oauthRefusal },
  }),
};
