/** The configuration file in its folder, in the order in which the names are tried. */
export const CONFIG_NAMES = ['holdfast.toml', 'holdfast.json'] as const
/** The socket of a daemon in its runtime folder. */
export const CONTROL_SOCKET = 'control.sock'
