#compdef mdpsolve
# Completion of mdpsolve in zsh.
_mdpsolve() {
	local line
	local -a typed found
	typed=("${(@)words[1,CURRENT-1]}")
	[[ ${words[CURRENT]} == -* ]] && typed+=("${words[CURRENT]}")
	while IFS= read -r line; do
		found+=("${${line//:/\\:}/$'\t'/:}")
	done < <("${typed[@]}" --generate-bash-completion 2>/dev/null)
	if ((${#found})); then
		_describe 'mdpsolve' found
	else
		_files
	fi
}
if [[ $funcstack[1] == _mdpsolve ]]; then
	_mdpsolve "$@"
else
	compdef _mdpsolve mdpsolve
fi
