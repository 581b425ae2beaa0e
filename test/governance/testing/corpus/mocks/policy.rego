package mocks.policy

x := 1
