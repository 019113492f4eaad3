/** Why the platform ends the tunnel of an agent: it comes back after every code but this one. */
export const tunnelIsOff = 4_004
