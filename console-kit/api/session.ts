import { t } from '../texts/t.ts';
import { computed, signal } from '@preact/signals';
import { ApiFailure, cookie, get, request, whenUnauthenticated } from './http.ts';
import type { Page, User } from './types.ts';

/** undefined until we know. */
export const user = signal<User | null | undefined>(undefined);
export const userName = computed(() =>
  user.value ? [user.value.first_name, user.value.last_name].join(' ').trim() || user.value.username : '',
);
/** Whether somebody was logged in when the session ended: the login page then says why it is there. */
export const expired = signal(false);

whenUnauthenticated(() => {
  if (user.value) expired.value = true;
  user.value = null;
});

/** The cookie that scripts may read tells whether it is worth asking. */
export async function restore(): Promise<void> {
  if (cookie('userLoggedIn') !== 'true') {
    user.value = null;
    return;
  }
  try {
    user.value = (await get<Page<User>>('me/')).results[0] ?? null;
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 401) user.value = null;
    else throw error;
  }
}

/** @throws ApiFailure with a message for the person who typed */
export async function logIn(username: string, password: string): Promise<void> {
  // the login answers with a redirect, which leads to who we are now
  const page = await request<Page<User>>('POST', '/api/login/', {
    body: { username, password, next: '/api/v2/me/' },
  }).catch((error: unknown) => {
    throw error instanceof ApiFailure ? readable(error) : error;
  });
  expired.value = false;
  user.value = page.results[0] ?? null;
}

function readable(failure: ApiFailure): ApiFailure {
  const { status, retryAfter } = failure;
  if (status === 401) return new ApiFailure(401, { detail: t`The user name or the password is not right.` });
  if (status !== 429) return failure;
  const detail = retryAfter
    ? t`Too many attempts. Try again in ${retryAfter} seconds.`
    : t`Too many attempts. Try again later.`;
  return new ApiFailure(429, { detail });
}

export async function logOut(): Promise<void> {
  await request('POST', '/api/logout/');
  expired.value = false;
  user.value = null;
}
