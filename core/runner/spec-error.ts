/** The run as it was asked for cannot be executed: the message is for whoever asked. */
export class SpecError extends Error {
  override name = 'SpecError';
}
