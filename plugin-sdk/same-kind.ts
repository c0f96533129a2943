/**
 * May a value stand where the other one does: both texts, both lists, and so on? Anything but undefined may stand for
 * null and for nothing.
 */
export const sameKind = <T>(value: unknown, other: T): value is T =>
  value !== undefined &&
  (other === null ||
    other === undefined ||
    (value !== null && typeof value === typeof other && Array.isArray(value) === Array.isArray(other)));
