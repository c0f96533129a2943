/** Stands for a stored secret wherever one is shown; sent back, it keeps what is stored. */
export const masked = '$encrypted$';
