import { ApiFailure, get, post, type Query, request, t } from '@tapline/console-kit';
import type { Question, Survey } from './questions.ts';

/**
 * Stores all questions at once, as the API takes them: those that somebody else added since they were read would be gone.
 * @throws ApiFailure where the survey is no longer what is shown; then it is shown as it is
 */
export async function storeSurvey(path: string, { data, reload }: Query<Survey>, spec: Question[]): Promise<void> {
  const known = data.peek();
  const now = await get<Survey>(path);
  if (JSON.stringify(now) !== JSON.stringify(known)) {
    await reload();
    throw new ApiFailure(409, {
      detail: t`Somebody changed the survey meanwhile: nothing is stored, and here it is as it is now. Try again if yours still fits.`,
    });
  }
  const { name = '', description = '' } = now;
  if (spec.length) await post(path, { name, description, spec });
  else await request('DELETE', path);
  await reload();
}
