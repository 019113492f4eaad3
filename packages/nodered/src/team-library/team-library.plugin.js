// Node-RED takes a plug-in from a file that ends in .js only.
import { TeamLibrary, teamLibraryType } from './team-library.ts'

/** Node-RED calls this with itself when it loads the plug-in. */
function register(nodeRed) {
  nodeRed.plugins.registerPlugin(teamLibraryType, { type: 'node-red-library-source', class: TeamLibrary })
}

// What `require` gives has to be the function.
export { register as 'module.exports' }
