/** Why the platform ends the tunnel of an agent: it comes back after every code but this one. */
export const tunnelIsOff = 4_004

/** Header of a request through the tunnel that shows the platform later who made it; sealed for the platform alone. */
export const editorProofHeader = 'x-forge-editor'
