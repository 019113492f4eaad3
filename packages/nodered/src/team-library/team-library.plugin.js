/** Node-RED takes a plug-in from a file that ends in .js only, and calls this with itself when it has loaded it. */
function register({ plugins, settings: { teamLibrary } }) {
  plugins.registerPlugin(teamLibrary.type, { type: 'node-red-library-source', class: teamLibrary })
}

// The value of `require` has to be the function.
export { register as 'module.exports' }
