import { ApiFailure } from '@tapline/console-kit';

/** The service puts errors of a credential's inputs below `inputs`: for a form whose fields those are. */
export function atItsField(failure: ApiFailure): ApiFailure {
  const { inputs, ...others } = failure.body ?? {};
  if (failure.status !== 400 || typeof inputs !== 'object' || Array.isArray(inputs) || inputs === null) return failure;
  return new ApiFailure(400, { ...others, ...inputs });
}
