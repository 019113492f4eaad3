/**
 * Folders of the driver in the platform's home. Their processes may run as other users and pass through; the driver
 * decides what they see there.
 */
export const driverFolders: ReadonlySet<string> = new Set(['instances', 'modules', 'stacks'])
