/** Reverts one change outside the database. */
export type Undo = () => void
