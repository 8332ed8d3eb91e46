/**
 * The name of the state file in each folder. In a file of its own, so that
 * reading settings loads nothing else of this room.
 */
export const STATE_FILE = 'state.json'
/** Beside it: a state that was not saved yet when its process was killed. */
export const JOTTED_FILE = 'state.jotted.json'
